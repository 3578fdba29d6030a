// Package serving starts NATS servers in this process.
package serving

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"strconv"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

// Config describes a server.
type Config struct {
	Dir      string // of its files
	Name     string // in a cluster, where names differ
	Listen   string // host:port; empty: only this process can connect
	Unsynced bool   // answer before files are synced
	Store    int64  // limit of the bytes that it keeps; 0: limited only by the disk

	Cluster string   // host:port for the other servers; empty: there are none
	Routes  []string // host:port of all of them
	Fixed   bool     // servers do not advertise addresses to each other or to clients

	Users []*server.User // nil: no passwords
}

// Most is the maximum size of a message in bytes: a state, and the store's own data.
const Most = 4 << 20

// nowhere is an address at which nothing listens. A server advertises an address in any case;
// this one is for servers that must not be reached.
const nowhere = "127.0.0.1:1"

// Start starts a server, and returns when it accepts connections. A server of a cluster may be
// usable only once the others run.
func Start(c Config) (*server.Server, error) {
	o := &server.Options{
		ServerName: c.Name, JetStream: true, StoreDir: c.Dir, SyncAlways: !c.Unsynced, MaxPayload: Most,
		DontListen: c.Listen == "", NoSigs: true, NoLog: true, JetStreamMaxStore: c.Store, Users: c.Users,
	}
	if c.Dir == "" {
		return nil, errors.New("the directory is empty")
	}
	var err error
	if c.Listen != "" {
		if o.Host, o.Port, err = split(c.Listen); err != nil {
			return nil, err
		}
	}
	if c.Cluster != "" {
		o.Cluster.Name = "movenext"
		if o.Cluster.Host, o.Cluster.Port, err = split(c.Cluster); err != nil {
			return nil, err
		}
		if c.Fixed {
			o.Cluster.NoAdvertise, o.Cluster.Advertise = true, nowhere
		}
		for _, r := range c.Routes {
			o.Routes = append(o.Routes, &url.URL{Scheme: "nats", Host: r})
		}
	}
	s, err := server.NewServer(o)
	if err != nil {
		return nil, err
	}
	says := complaints{fatal: make(chan string, 1)}
	s.SetLoggerV2(says, false, false, false)
	s.Start()
	for ready := false; !ready; ready = s.ReadyForConnections(10 * time.Millisecond) {
		select {
		case why := <-says.fatal:
			s.Shutdown()
			s.WaitForShutdown()
			return nil, errors.New(why)
		default:
		}
	}
	return s, nil
}

// complaints is a log that keeps the reason why a server does not start.
type complaints struct{ fatal chan string }

// Fatalf records the first reason.
func (c complaints) Fatalf(format string, v ...any) {
	select {
	case c.fatal <- fmt.Sprintf(format, v...):
	default:
	}
}

// Noticef does nothing.
func (complaints) Noticef(string, ...any) {}

// Warnf does nothing.
func (complaints) Warnf(string, ...any) {}

// Errorf does nothing: clients get the errors.
func (complaints) Errorf(string, ...any) {}

// Debugf does nothing.
func (complaints) Debugf(string, ...any) {}

// Tracef does nothing.
func (complaints) Tracef(string, ...any) {}

// split splits an address into the server's form: port 0 picks a free port.
func split(address string) (host string, port int, err error) {
	host, text, err := net.SplitHostPort(address)
	if err == nil {
		port, err = strconv.Atoi(text)
	}
	if port == 0 {
		port = server.RANDOM_PORT
	}
	return host, port, err
}
