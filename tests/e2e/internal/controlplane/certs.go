package controlplane

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"time"
)

// authority signs the server's certificate and the clients' ones.
type authority struct {
	certificate *x509.Certificate
	key         *ecdsa.PrivateKey
	pem         []byte
}

// KeyPair is a certificate with its private key, both PEM.
type KeyPair struct {
	Certificate []byte
	Key         []byte
}

// NewServerCertificate returns a certificate for loopback and that of the new
// authority that has signed it, for servers other than the control plane.
func NewServerCertificate() (ca []byte, server KeyPair, err error) {
	signer, err := newAuthority()
	if err != nil {
		return nil, KeyPair{}, err
	}
	server, err = signer.server()
	return signer.pem, server, err
}

// ReplaceServingCA gives the API server a certificate of another authority.
// It is used from the next start on; clients' certificates stay good.
func (c *ControlPlane) ReplaceServingCA() error {
	c.CA = c.nextAuthority.pem
	return c.writeServerCertificate(c.nextAuthority)
}

func (c *ControlPlane) writeServerCertificate(signer *authority) error {
	server, err := signer.server()
	if err != nil {
		return err
	}
	if err := c.writeFile("server.crt", server.Certificate); err != nil {
		return err
	}
	return c.writeFile("server.key", server.Key)
}

func newAuthority() (*authority, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	template := newTemplate("kube-events-exporter e2e CA")
	template.IsCA, template.BasicConstraintsValid = true, true
	template.KeyUsage = x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return nil, err
	}
	certificate, err := x509.ParseCertificate(der)
	if err != nil {
		return nil, err
	}
	return &authority{certificate: certificate, key: key, pem: pemBlock("CERTIFICATE", der)}, nil
}

func (a *authority) server() (KeyPair, error) {
	template := newTemplate("kube-apiserver")
	template.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
	template.IPAddresses = []net.IP{net.IPv4(127, 0, 0, 1), net.IPv6loopback}
	template.DNSNames = []string{"localhost", "kubernetes.default.svc"}
	return a.sign(template)
}

func (a *authority) client(user string) (KeyPair, error) {
	template := newTemplate(user)
	template.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}
	return a.sign(template)
}

func (a *authority) sign(template *x509.Certificate) (KeyPair, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return KeyPair{}, err
	}
	template.KeyUsage = x509.KeyUsageDigitalSignature
	der, err := x509.CreateCertificate(rand.Reader, template, a.certificate, key.Public(), a.key)
	if err != nil {
		return KeyPair{}, err
	}
	keyPEM, err := privateKeyPEM(key)
	return KeyPair{Certificate: pemBlock("CERTIFICATE", der), Key: keyPEM}, err
}

func newTemplate(commonName string) *x509.Certificate {
	serial, _ := rand.Int(rand.Reader, big.NewInt(1<<62))
	return &x509.Certificate{
		SerialNumber: serial,
		Subject:      pkix.Name{CommonName: commonName},
		NotBefore:    time.Now().Add(-time.Hour),
		NotAfter:     time.Now().Add(24 * time.Hour),
	}
}

func privateKeyPEM(key *ecdsa.PrivateKey) ([]byte, error) {
	der, err := x509.MarshalECPrivateKey(key)
	return pemBlock("EC PRIVATE KEY", der), err
}

func pemBlock(kind string, der []byte) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der})
}
