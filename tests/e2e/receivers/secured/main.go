// Command secured stands before a receiver of the Fluent forward protocol and
// lets through clients that know a shared key. The handshake's digests come
// from IBM's implementation of the protocol. It is a program of its own because
// that and the Collector's receiver both register the protocol's time with the
// MessagePack library, which ends a process that has both.
package main

import (
	"crypto/rand"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"os"

	"github.com/IBM/fluent-forward-go/fluent/protocol"
	"github.com/tinylib/msgp/msgp"
)

func main() {
	listen := flag.String("listen", "", "`HOST:PORT` where clients come")
	behind := flag.String("behind", "", "`HOST:PORT` of the receiver that they are handed through to")
	sharedKey := flag.String("shared-key", "", "what clients have to know")
	flag.Parse()
	listener, err := net.Listen("tcp", *listen)
	for err == nil {
		var client net.Conn
		if client, err = listener.Accept(); err == nil {
			go serve(client, []byte(*sharedKey), *behind)
		}
	}
	fmt.Fprintln(os.Stderr, "secured:", err)
	os.Exit(1)
}

func serve(client net.Conn, key []byte, behind string) {
	defer client.Close()
	if handshake(client, key) != nil {
		return
	}
	receiver, err := net.Dial("tcp", behind)
	if err != nil {
		return
	}
	defer receiver.Close()
	go func() {
		_, _ = io.Copy(receiver, client)
		receiver.Close()
	}()
	_, _ = io.Copy(client, receiver)
}

// handshake fails where the client does not know the key, which it is told.
func handshake(client net.Conn, key []byte) error {
	helo := protocol.NewHelo(&protocol.HeloOpts{Nonce: []byte(rand.Text()), Keepalive: true})
	if err := msgp.Encode(client, helo); err != nil {
		return err
	}
	ping, err := readPing(client)
	if err != nil {
		return err
	}
	reason := ""
	refusal := protocol.ValidatePingDigest(ping, key, helo.Options.Nonce)
	if refusal != nil {
		reason = "shared_key mismatch"
	}
	pong, err := protocol.NewPong(refusal == nil, reason, "receivers", key, helo, ping)
	if err != nil {
		return err
	}
	return errors.Join(msgp.Encode(client, pong), refusal)
}

// readPing is more lenient than the library, which takes the salt as bytes
// only: Fluentd and Fluent Bit send text.
func readPing(client net.Conn) (*protocol.Ping, error) {
	value, err := msgp.NewReader(client).ReadIntf()
	if err != nil {
		return nil, err
	}
	var texts []string
	fields, _ := value.([]any)
	for _, field := range fields {
		text, _ := field.(string)
		texts = append(texts, text)
	}
	if len(texts) != 6 || texts[0] != protocol.MsgTypePing {
		return nil, fmt.Errorf("no PING: %v", value)
	}
	return &protocol.Ping{
		MessageType: texts[0], ClientHostname: texts[1], SharedKeySalt: []byte(texts[2]), SharedKeyHexDigest: texts[3],
		Username: texts[4], Password: texts[5],
	}, nil
}
