// Package proxy stands between an exporter and the API server, so that a test
// can break their connection without harm to others.
package proxy

import (
	"io"
	"net"
	"sync"
	"testing"
)

// Proxy forwards TCP connections to one address.
type Proxy struct {
	target   string
	listener net.Listener

	mutex   sync.Mutex
	refuses bool
	open    map[net.Conn]struct{}
}

// Start returns a proxy that forwards to target until the test ends.
func Start(t testing.TB, target string) *Proxy {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &Proxy{
		target:   target,
		listener: listener,
		open:     map[net.Conn]struct{}{},
	}
	t.Cleanup(func() {
		listener.Close()
		p.Cut()
	})
	go p.accept()
	return p
}

// URL is the address of the proxy, where the target's certificate is valid too.
func (p *Proxy) URL() string { return "https://" + p.listener.Addr().String() }

// StartSilent returns the URL of a server that takes connections and never
// says a word, until the test ends.
func StartSilent(t testing.TB) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	// The kernel accepts for us; nobody ever reads.
	return "https://" + listener.Addr().String()
}

// Cut ends all connections; new ones are still forwarded.
func (p *Proxy) Cut() {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	for connection := range p.open {
		connection.Close()
	}
}

// Refuse ends all connections, and new ones at once, until Allow.
func (p *Proxy) Refuse() {
	p.setRefuses(true)
	p.Cut()
}

// Allow ends Refuse.
func (p *Proxy) Allow() { p.setRefuses(false) }

func (p *Proxy) setRefuses(refuses bool) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.refuses = refuses
}

func (p *Proxy) accept() {
	for {
		connection, err := p.listener.Accept()
		if err != nil {
			return
		}
		go p.forward(connection)
	}
}

func (p *Proxy) forward(client net.Conn) {
	defer client.Close()
	server, err := net.Dial("tcp", p.target)
	if err != nil {
		return
	}
	defer server.Close()
	if !p.register(client, server) {
		return
	}
	defer p.forget(client, server)
	ended := make(chan struct{}, 2)
	relay := func(to, from net.Conn) {
		_, _ = io.Copy(to, from)
		ended <- struct{}{}
	}
	go relay(server, client)
	go relay(client, server)
	<-ended
}

func (p *Proxy) register(connections ...net.Conn) bool {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if p.refuses {
		return false
	}
	for _, connection := range connections {
		p.open[connection] = struct{}{}
	}
	return true
}

func (p *Proxy) forget(connections ...net.Conn) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	for _, connection := range connections {
		delete(p.open, connection)
	}
}
