package natsstore

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/movenext/movenext/durable/internal/nilctx"
	"github.com/movenext/movenext/durable/natsstore/internal/serving"
)

// Option configures a store that is being opened.
type Option func(*settings)

type settings struct {
	bucket   string
	shards   int
	replicas int
	timeout  time.Duration
	nats     []nats.Option
	listen   string
	unsynced bool
}

// Bucket sets the prefix of the buckets' names: NAME-0 and so on, NAME-workers and NAME-claims.
// The default is "movenext". Stores with different names in one account are independent.
func Bucket(name string) Option { return func(s *settings) { s.bucket = name } }

// Shards sets the number of buckets over which instances are spread, by a hash of the id, if this
// call makes the buckets; the default is 8. Each bucket has its own leader and log, so more
// buckets allow more parallel writes.
func Shards(n int) Option { return func(s *settings) { s.shards = n } }

// Replicas sets the number of servers that keep each bucket, if this call makes the buckets. The
// default is 3 in a cluster, 1 elsewhere.
func Replicas(n int) Option { return func(s *settings) { s.replicas = n } }

// Patience sets how long a call waits for servers that do not answer, 20 seconds by default. A
// stream whose leader has died has a new one after at most ten seconds.
func Patience(d time.Duration) Option { return func(s *settings) { s.timeout = d } }

// Nats sets options of the connection of [Connect]: credentials, TLS, names.
func Nats(opts ...nats.Option) Option {
	return func(s *settings) { s.nats = append(s.nats, opts...) }
}

// Listen makes the server of [Embedded] listen on an address, host:port, so that other processes
// can [Connect] to it. Port 0 picks a free port; see [Store.URL]. There is no password: listen
// only where untrusted hosts cannot connect.
func Listen(address string) Option { return func(s *settings) { s.listen = address } }

// Unsynced lets the server of [Embedded] sync its files every two minutes instead of before each
// answer. A crash of the process then still loses nothing; a crash of the machine loses the
// latest answered writes.
func Unsynced() Option { return func(s *settings) { s.unsynced = true } }

func settingsOf(opts []Option) (settings, error) {
	s := settings{bucket: "movenext", shards: 8, timeout: 20 * time.Second}
	for _, o := range opts {
		if o != nil {
			o(&s)
		}
	}
	switch {
	case !regexp.MustCompile(`^[a-zA-Z0-9_-]+$`).MatchString(s.bucket):
		return s, fmt.Errorf("natsstore: %q cannot be the name of a bucket", s.bucket)
	case s.shards < 1 || s.shards > 256:
		return s, fmt.Errorf("natsstore: there cannot be %d shards", s.shards)
	case s.replicas < 0 || s.replicas > 5:
		return s, fmt.Errorf("natsstore: there cannot be %d replicas", s.replicas)
	}
	return s, nil
}

// Connect opens a store on NATS servers that have JetStream, and makes its buckets if they are
// missing. The address is one URL or several, separated by commas, such as
// nats://a:4222,nats://b:4222. Connect blocks until the buckets can be used, ctx has ended, or
// the [Patience] is exhausted. If it can reach no server, it fails at once with the error of
// nats.Connect, unless an option of [Nats] enables retries. The store reconnects by itself. It
// has goroutines and a connection, which [Store.Close] releases.
func Connect(ctx context.Context, address string, opts ...Option) (*Store, error) {
	set, err := settingsOf(opts)
	if err != nil {
		return nil, err
	}
	return open(nilctx.Background(ctx), address, set, func() {})
}

// Embedded starts a NATS server in this process, which keeps its files in dir, and opens a store
// on it. Only one process at a time may use dir. Each answered write is on disk, unless the
// option [Unsynced] is given. Embedded is meant for development and tests, and for programs on
// one machine. [Store.Close] ends the server.
func Embedded(dir string, opts ...Option) (*Store, error) {
	set, err := settingsOf(opts)
	if err != nil {
		return nil, err
	}
	server, err := serving.Start(serving.Config{Dir: dir, Listen: set.listen, Unsynced: set.unsynced})
	if err != nil {
		return nil, fmt.Errorf("natsstore: starting a server in %s: %w", dir, err)
	}
	address := ""
	if set.listen == "" {
		set.nats = append(set.nats, nats.InProcessServer(server))
	} else {
		address = server.ClientURL()
	}
	return open(context.Background(), address, set, func() {
		server.Shutdown()
		server.WaitForShutdown()
	})
}

// open connects and opens a store; Close calls after, which ends what was started for it.
func open(ctx context.Context, address string, set settings, after func()) (*Store, error) {
	s := &Store{settings: set, afterClose: after, stop: func() {}}
	if err := s.open(ctx, address); err != nil {
		if s.conn != nil {
			s.conn.Close()
		}
		after()
		return nil, fmt.Errorf("natsstore: opening the store: %w", err)
	}
	return s, nil
}

func (s *Store) open(ctx context.Context, address string) (err error) {
	opts := []nats.Option{nats.Name("movenext"), nats.MaxReconnects(-1), nats.ReconnectWait(200 * time.Millisecond)}
	s.conn, err = nats.Connect(address, append(append(opts, s.nats...), s.watchRights)...)
	if err != nil {
		return err
	}
	if s.js, err = jetstream.New(s.conn); err != nil {
		return err
	}
	if s.replicas == 0 {
		s.replicas = 1
		if s.conn.ConnectedClusterName() != "" {
			s.replicas = 3
		}
	}
	workers, err := s.ensureBucket(ctx, "workers", jetstream.FileStorage)
	if err != nil {
		return err
	}
	shards, err := s.agreeOnShards(ctx, workers)
	if err != nil {
		return err
	}
	for i := range shards {
		b, err := s.ensureBucket(ctx, strconv.Itoa(i), jetstream.FileStorage)
		if err != nil {
			return err
		}
		b.number = i
		s.buckets = append(s.buckets, b)
	}
	workers.number = shards
	s.buckets = append(s.buckets, workers)
	if s.claims, err = s.ensureBucket(ctx, "claims", jetstream.MemoryStorage); err != nil {
		return err
	}
	s.index = newIndex(len(s.buckets))
	s.sends.Write = s.sendGroup
	following, stop := context.WithCancel(context.Background())
	s.stop = stop
	for _, b := range s.buckets {
		s.following.Go(func() { s.follow(following, b) })
	}
	return nil
}

// watchRights records messages of the server about rights that the user lacks. It wraps a handler
// that the user has set.
func (s *Store) watchRights(o *nats.Options) error {
	users := o.AsyncErrorCB
	o.AsyncErrorCB = func(c *nats.Conn, sub *nats.Subscription, err error) {
		if errors.Is(err, nats.ErrPermissionViolation) {
			s.denied.Store(&denial{time.Now(), err})
		}
		if users != nil {
			users(c, sub, err)
		}
	}
	return nil
}

// bucket is a key-value bucket: a stream with one message for each subject.
type bucket struct {
	number int // in Store.buckets
	name   string
	prefix string // of subjects
	stream jetstream.Stream

	caught  chan struct{} // closed once it has been followed to its end
	created time.Time     // creation time of the stream that has been followed
}

// Bounds of the bucket of claims. A claim is needed for seconds.
const (
	claimsAge   = 10 * time.Minute
	claimsBytes = 64 << 20
)

// ensureBucket returns a bucket, and makes it if it is missing.
func (s *Store) ensureBucket(ctx context.Context, part string, storage jetstream.StorageType) (*bucket, error) {
	name := s.bucket + "-" + part
	b := &bucket{name: "KV_" + name, prefix: "$KV." + name + ".", caught: make(chan struct{})}
	config := jetstream.StreamConfig{
		Name: b.name, Subjects: []string{b.prefix + ">"}, Description: "durable instances of movenext",
		Storage: storage, Replicas: s.replicas, MaxMsgsPerSubject: 1, Discard: jetstream.DiscardNew,
	}
	if storage == jetstream.MemoryStorage {
		config.MaxAge, config.MaxBytes, config.Discard = claimsAge, claimsBytes, jetstream.DiscardOld
	}
	err := s.try(ctx, func(ctx context.Context) (err error) {
		b.stream, err = s.js.Stream(ctx, b.name)
		if errors.Is(err, jetstream.ErrStreamNotFound) {
			b.stream, err = s.js.CreateStream(ctx, config)
		}
		if errors.Is(err, jetstream.ErrJetStreamNotEnabled) || errors.Is(err, jetstream.ErrJetStreamNotEnabledForAccount) {
			return final{err}
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("the stream %s: %w", b.name, err)
	}
	if c := b.stream.CachedInfo().Config; c.MaxMsgsPerSubject != 1 || c.AllowDirect {
		return nil, fmt.Errorf("%w: the stream %s keeps %d messages for a subject (1 is needed), and direct gets are %t (false)",
			ErrForeign, b.name, c.MaxMsgsPerSubject, c.AllowDirect)
	}
	return b, nil
}

// version is the version of the buckets.
const version = 1

// agreement holds the settings that all stores on the buckets must share.
type agreement struct {
	Version int `json:"version"`
	Shards  int `json:"shards"`
}

// agreeOnShards reads or makes the agreement. It returns the number of buckets of instances.
func (s *Store) agreeOnShards(ctx context.Context, b *bucket) (shards int, err error) {
	subject := b.prefix + "store"
	m, err := s.last(ctx, b, subject)
	if err != nil {
		return 0, err
	}
	if m == nil {
		if b.stream.CachedInfo().State.Msgs > 0 {
			return 0, fmt.Errorf("%w: the stream %s has messages, but no %q", ErrForeign, b.name, subject)
		}
		value, err := json.Marshal(agreement{Version: version, Shards: s.shards})
		if err != nil {
			return 0, err
		}
		if _, err := s.putValue(ctx, b, subject, value, nil, new(uint64)); err == nil {
			return s.shards, nil
		} else if !errors.Is(err, errOutdated) {
			return 0, err
		}
		return s.agreeOnShards(ctx, b) // another store was faster
	}
	var a agreement
	if err := json.Unmarshal(m.Data, &a); err != nil || a.Version < 1 || a.Shards < 1 {
		return 0, fmt.Errorf("%w: %s cannot be read", ErrForeign, subject)
	}
	if a.Version > version {
		return 0, fmt.Errorf("%w: %s has %d, and this program knows %d", ErrVersion, s.bucket, a.Version, version)
	}
	return a.Shards, nil
}
