package process

import (
	"fmt"
	"math/rand/v2"
	"net"
	"sync"
)

// The ports lie below the ephemeral range, where the kernel would hand one of
// them to an outgoing connection between our look and the server's bind.
const firstPort, lastPort = 12000, 32000

var (
	takenMutex sync.Mutex
	taken      = map[int]bool{}
)

// FreePort returns a loopback port that nobody listens on and that no other
// call of this process returned.
func FreePort() (int, error) {
	takenMutex.Lock()
	defer takenMutex.Unlock()
	for range 200 {
		port := firstPort + rand.IntN(lastPort-firstPort)
		if taken[port] {
			continue
		}
		listener, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
		if err != nil {
			continue
		}
		listener.Close()
		taken[port] = true
		return port, nil
	}
	return 0, fmt.Errorf("no free port between %d and %d", firstPort, lastPort)
}
