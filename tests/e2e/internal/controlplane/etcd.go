package controlplane

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"path/filepath"
	"time"

	"kube-events-exporter/tests/e2e/internal/poll"
	"kube-events-exporter/tests/e2e/internal/process"
)

// etcd is driven over its JSON gateway, which spares us its Go client.
type etcd struct {
	binary  string
	dir     string
	url     string
	peerURL string
	process *process.Process
}

func newEtcd(binary, dir string, clientPort, peerPort int) *etcd {
	return &etcd{
		binary:  binary,
		dir:     dir,
		url:     fmt.Sprintf("http://127.0.0.1:%d", clientPort),
		peerURL: fmt.Sprintf("http://127.0.0.1:%d", peerPort),
	}
}

func (e *etcd) dataDir() string { return filepath.Join(e.dir, "etcd") }

// start returns when etcd answers.
func (e *etcd) start(ctx context.Context) error {
	command := exec.Command(e.binary,
		"--name=e2e",
		"--data-dir="+e.dataDir(),
		"--listen-client-urls="+e.url, "--advertise-client-urls="+e.url,
		"--listen-peer-urls="+e.peerURL, "--initial-advertise-peer-urls="+e.peerURL,
		"--initial-cluster=e2e="+e.peerURL)
	var err error
	if e.process, err = process.Start(e.dir, "etcd", command); err != nil {
		return err
	}
	return poll.Until(ctx, 30*time.Second, func(ctx context.Context) error {
		if err := e.process.Exited(); err != nil {
			return err
		}
		return httpGet(ctx, http.DefaultClient, e.url+"/health")
	})
}

// compact forgets the history of every key up to now, as kube-apiserver does
// every five minutes.
func (e *etcd) compact(ctx context.Context) error {
	var status struct {
		Header struct {
			Revision json.Number `json:"revision"`
		} `json:"header"`
	}
	key := base64.StdEncoding.EncodeToString([]byte("none"))
	if err := e.call(ctx, "/v3/kv/range", map[string]any{"key": key}, &status); err != nil {
		return err
	}
	return e.call(ctx, "/v3/kv/compaction", map[string]any{"revision": status.Header.Revision, "physical": true}, nil)
}

func (e *etcd) call(ctx context.Context, path string, in map[string]any, out any) error {
	body, err := json.Marshal(in)
	if err != nil {
		return err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, e.url+path, bytes.NewReader(body))
	if err != nil {
		return err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("etcd %s: %s: %s", path, response.Status, answer)
	}
	if out == nil {
		return nil
	}
	return json.Unmarshal(answer, out)
}
