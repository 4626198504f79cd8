package contract

import (
	"bufio"
	"encoding/json"
	"io"
	"net/http"
	"time"
)

// watch is an open watch.
type watch struct {
	b      *bench
	frames chan object
}

// watch opens one, which must be accepted.
func (b *bench) watch(path string) *watch {
	b.Helper()
	response := b.open(request{method: http.MethodGet, path: path})
	b.Cleanup(func() { response.Body.Close() })
	if response.StatusCode != http.StatusOK {
		body, _ := io.ReadAll(response.Body)
		b.Fatalf("GET %s: %s: %s", b.fill(path), response.Status, body)
	}
	w := &watch{b: b, frames: make(chan object)}
	go func() {
		defer close(w.frames)
		lines := bufio.NewScanner(response.Body)
		lines.Buffer(nil, 1<<24)
		for lines.Scan() {
			var frame object
			if err := json.Unmarshal(lines.Bytes(), &frame); err != nil {
				frame = object{"type": "no JSON: " + lines.Text()}
			}
			select {
			case w.frames <- frame:
			case <-b.Context().Done():
				return
			}
		}
	}()
	return w
}

// next returns the type and the object of the next frame.
func (w *watch) next() (string, object) {
	w.b.Helper()
	select {
	case frame, open := <-w.frames:
		if !open {
			w.b.Fatal("the watch has ended")
		}
		o, _ := frame["object"].(object)
		return frame["type"].(string), o
	case <-time.After(patience):
		w.b.Fatal("no frame came")
	}
	return "", nil
}

// expect checks type and name of the next frame and returns its object.
func (w *watch) expect(wantType, wantName string) object {
	w.b.Helper()
	gotType, o := w.next()
	if gotType != wantType || text(o, "metadata.name") != wantName {
		encoded, _ := json.Marshal(o)
		w.b.Fatalf("frame %s %s, want %s %s", gotType, encoded, wantType, wantName)
	}
	return o
}

// ends checks that the stream ends, and in good order, without another frame.
func (w *watch) ends() {
	w.b.Helper()
	select {
	case frame, open := <-w.frames:
		if open {
			w.b.Errorf("another frame instead of the end: %v", frame)
		}
	case <-time.After(patience):
		w.b.Error("the watch does not end")
	}
}
