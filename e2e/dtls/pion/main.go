// A DTLS client on pion/dtls, for tests: it connects, and carries datagrams on its standard streams, each behind its length
// (two bytes). It closes the connection when its input ends.
package main

import (
	"context"
	"crypto/tls"
	"encoding/binary"
	"encoding/hex"
	"flag"
	"io"
	"log"
	"net"
	"os"
	"time"

	"github.com/pion/dtls/v3"
)

const (
	handshakeSeconds = 60
	datagramBytesMax = 1 << 16
)

var suites = map[string]dtls.CipherSuiteID{
	"TLS_PSK_WITH_AES_128_CCM_8":              dtls.TLS_PSK_WITH_AES_128_CCM_8,
	"TLS_PSK_WITH_AES_128_CBC_SHA256":         dtls.TLS_PSK_WITH_AES_128_CBC_SHA256,
	"TLS_ECDHE_ECDSA_WITH_AES_128_CCM_8":      dtls.TLS_ECDHE_ECDSA_WITH_AES_128_CCM_8,
	"TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256": dtls.TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256,
}

func main() {
	port := flag.Int("port", 0, "of the server on 127.0.0.1")
	suite := flag.String("suite", "", "name of the only cipher suite that is offered")
	identity := flag.String("identity", "", "of the pre-shared key")
	key := flag.String("key", "", "pre-shared key, in hexadecimal")
	certificate := flag.String("certificate", "", "PEM file")
	privateKey := flag.String("private-key", "", "PEM file")
	ownID := flag.Int("own-id", 0, "length of the connection id of this client; 0: only the server has one")
	flag.Parse()

	options := []dtls.ClientOption{
		dtls.WithCipherSuites(suites[*suite]),
		dtls.WithConnectionIDGenerator(idGenerator(*ownID)),
		// The tests check what the server sees; its certificate names no address.
		dtls.WithInsecureSkipVerify(true),
	}
	if *key != "" {
		secret, err := hex.DecodeString(*key)
		check(err)
		options = append(options,
			dtls.WithPSK(func([]byte) ([]byte, error) { return secret, nil }),
			dtls.WithPSKIdentityHint([]byte(*identity)))
	} else {
		pair, err := tls.LoadX509KeyPair(*certificate, *privateKey)
		check(err)
		options = append(options, dtls.WithCertificates(pair))
	}
	connection, err := dtls.DialWithOptions("udp", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1), Port: *port}, options...)
	check(err)
	limit, cancel := context.WithTimeout(context.Background(), handshakeSeconds*time.Second)
	defer cancel()
	check(connection.HandshakeContext(limit))
	go receive(connection)
	send(connection)
	check(connection.Close())
}

func idGenerator(bytes int) func() []byte {
	if bytes == 0 {
		return dtls.OnlySendCIDGenerator()
	}
	return dtls.RandomCIDGenerator(bytes)
}

func send(connection *dtls.Conn) {
	var length uint16
	for binary.Read(os.Stdin, binary.BigEndian, &length) == nil {
		datagram := make([]byte, length)
		_, err := io.ReadFull(os.Stdin, datagram)
		check(err)
		_, err = connection.Write(datagram)
		check(err)
	}
}

func receive(connection *dtls.Conn) {
	datagram := make([]byte, datagramBytesMax)
	for {
		length, err := connection.Read(datagram)
		if err != nil {
			return
		}
		check(binary.Write(os.Stdout, binary.BigEndian, uint16(length)))
		_, err = os.Stdout.Write(datagram[:length])
		check(err)
	}
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
