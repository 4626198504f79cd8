package main

import (
	"encoding/json"
	"errors"
	"os"
	"sync"
	"time"
)

// received is one line of output.
type received struct {
	Receiver string         `json:"receiver"`
	Tag      string         `json:"tag,omitempty"`
	Time     time.Time      `json:"time,omitzero"`
	Record   map[string]any `json:"record"`
}

var errRefused = errors.New("refused, as it was told to")

// printer prints the batches of one receiver, and refuses the first ones.
type printer struct {
	receiver string
	mutex    sync.Mutex
	refuse   int
}

// stdout is shared by all printers, so that lines stay whole.
var stdout = struct {
	sync.Mutex
	*json.Encoder
}{Encoder: json.NewEncoder(os.Stdout)}

func newPrinter(receiver string, refuse int) *printer {
	return &printer{receiver: receiver, refuse: refuse}
}

// print returns once the batch is written, or why it is not taken.
func (p *printer) print(batch []received) error {
	p.mutex.Lock()
	refused := p.refuse > 0
	if refused {
		p.refuse--
	}
	p.mutex.Unlock()
	if refused {
		return errRefused
	}
	stdout.Lock()
	defer stdout.Unlock()
	for _, one := range batch {
		one.Receiver = p.receiver
		if err := stdout.Encode(one); err != nil {
			return err
		}
	}
	return nil
}
