package access

import (
	"os"
	"path/filepath"

	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// Kubeconfig is one cluster, one user and one context, all named "e2e".
type Kubeconfig struct {
	Cluster clientcmdapi.Cluster
	User    clientcmdapi.AuthInfo
}

// TokenKubeconfig trusts ca and authenticates with a bearer token.
func TokenKubeconfig(server string, ca []byte, token string) Kubeconfig {
	return Kubeconfig{
		Cluster: clientcmdapi.Cluster{Server: server, CertificateAuthorityData: ca},
		User:    clientcmdapi.AuthInfo{Token: token},
	}
}

// Write stores the kubeconfig in dir with client-go's own encoder and returns
// its path.
func (k Kubeconfig) Write(dir string) (string, error) {
	config := clientcmdapi.NewConfig()
	config.Clusters["e2e"] = &k.Cluster
	config.AuthInfos["e2e"] = &k.User
	config.Contexts["e2e"] = &clientcmdapi.Context{Cluster: "e2e", AuthInfo: "e2e"}
	config.CurrentContext = "e2e"
	path := filepath.Join(dir, "kubeconfig")
	return path, clientcmd.WriteToFile(*config, path)
}

// ReplaceFile swaps the content of a file in one step, as the kubelet does
// with a mounted token.
func ReplaceFile(path string, content []byte) error {
	next := path + ".next"
	if err := os.WriteFile(next, content, 0o600); err != nil {
		return err
	}
	return os.Rename(next, path)
}
