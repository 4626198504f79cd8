package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net"

	"github.com/IBM/fluent-forward-go/fluent/protocol"
	"github.com/tinylib/msgp/msgp"
)

// startSecured listens at address, wants clients to prove that they know the
// key, and then hands them through to the receiver behind it.
func startSecured(ctx context.Context, address string, key []byte, behind string) error {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	context.AfterFunc(ctx, func() { listener.Close() })
	go func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			go serveSecured(client, key, behind)
		}
	}()
	return nil
}

func serveSecured(client net.Conn, key []byte, behind string) {
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
