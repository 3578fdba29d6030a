package vet

// Functions and methods that block, by package, type and name, each with an alternative. The
// list contains the common ones. A call of a function that has a twin next to it suspends,
// and is not reported.

const useBlocking = "run it with job.Blocking, whose job can be awaited"

var blockers = blockerTable(map[string][]string{
	"call job.Sleep, which suspends":        {"time.Sleep"},
	"call Await, which suspends":            {jobPath + ".Job.Wait"},
	"use a job.Scope, or await job.WhenAll": {"sync.WaitGroup.Wait", "golang.org/x/sync/errgroup.Group.Wait"},
	"use a coord.Cond, which suspends":      {"sync.Cond.Wait"},
	useBlocking: {
		"os.ReadFile", "os.WriteFile", "os.Open", "os.Create", "os.OpenFile", "os.ReadDir", "os.CopyFS", "os.RemoveAll",
		"os.Stat", "os.Lstat", "os.Remove", "os.Rename", "os.Mkdir", "os.MkdirAll", "os.MkdirTemp", "os.CreateTemp", "os.Truncate",
		"os.Link", "os.Symlink", "os.Readlink", "path/filepath.Walk", "path/filepath.WalkDir", "path/filepath.Glob",
		"os.File.Read", "os.File.ReadAt", "os.File.ReadFrom", "os.File.ReadDir", "os.File.Write", "os.File.WriteAt",
		"os.File.WriteString", "os.File.WriteTo", "os.File.Sync", "os.File.Truncate",
		"os/exec.Cmd.Run", "os/exec.Cmd.Wait", "os/exec.Cmd.Output", "os/exec.Cmd.CombinedOutput", "os.Process.Wait",
		"syscall.Select", "syscall.Wait4", "syscall.Flock",
		"net.Dial", "net.DialTimeout", "net.DialTCP", "net.DialUDP", "net.DialUnix", "net.DialIP", "net.Dialer.Dial", "net.Dialer.DialContext",
		"net.LookupAddr", "net.LookupCNAME", "net.LookupHost", "net.LookupIP", "net.LookupMX", "net.LookupNS", "net.LookupPort",
		"net.LookupSRV", "net.LookupTXT", "net.Resolver.LookupHost", "net.Resolver.LookupIPAddr", "net.Resolver.LookupAddr",
		"net.Resolver.LookupCNAME", "net.Resolver.LookupIP", "net.Resolver.LookupMX", "net.Resolver.LookupNS", "net.Resolver.LookupNetIP",
		"net.Resolver.LookupPort", "net.Resolver.LookupSRV", "net.Resolver.LookupTXT",
		"net.Conn.Read", "net.Conn.Write", "net.TCPConn.ReadFrom", "net.conn.Read", "net.conn.Write",
		"net.Listener.Accept", "net.TCPListener.Accept", "net.TCPListener.AcceptTCP", "net.UnixListener.Accept", "net.UnixListener.AcceptUnix",
		"net.PacketConn.ReadFrom", "net.PacketConn.WriteTo", "net.UDPConn.ReadFrom", "net.UDPConn.ReadFromUDP", "net.UDPConn.WriteTo", "net.UDPConn.WriteToUDP",
		"crypto/tls.Dial", "crypto/tls.Conn.Read", "crypto/tls.Conn.Write", "crypto/tls.Conn.Handshake", "crypto/tls.Conn.HandshakeContext",
		"net/http.Get", "net/http.Head", "net/http.Post", "net/http.PostForm",
		"net/http.Client.Do", "net/http.Client.Get", "net/http.Client.Head", "net/http.Client.Post", "net/http.Client.PostForm",
		"net/http.Request.FormFile", "net/http.Request.FormValue", "net/http.Request.ParseForm",
		"net/http.Request.ParseMultipartForm", "net/http.Request.PostFormValue",
		"net/http.RoundTripper.RoundTrip", "net/http.Transport.RoundTrip",
		"net/http.ListenAndServe", "net/http.ListenAndServeTLS", "net/http.Serve", "net/http.ServeTLS",
		"net/http.Server.ListenAndServe", "net/http.Server.ListenAndServeTLS", "net/http.Server.Serve", "net/http.Server.Shutdown",
		"database/sql.DB.Query", "database/sql.DB.QueryContext", "database/sql.DB.QueryRow", "database/sql.DB.QueryRowContext",
		"database/sql.DB.Exec", "database/sql.DB.ExecContext", "database/sql.DB.Ping", "database/sql.DB.PingContext",
		"database/sql.DB.Begin", "database/sql.DB.BeginTx", "database/sql.DB.Prepare", "database/sql.DB.PrepareContext", "database/sql.DB.Conn",
		"database/sql.Tx.Query", "database/sql.Tx.QueryContext", "database/sql.Tx.QueryRow", "database/sql.Tx.QueryRowContext",
		"database/sql.Tx.Exec", "database/sql.Tx.ExecContext", "database/sql.Tx.Commit", "database/sql.Tx.Rollback",
		"database/sql.Stmt.Query", "database/sql.Stmt.QueryContext", "database/sql.Stmt.Exec", "database/sql.Stmt.ExecContext",
		"database/sql.Conn.QueryContext", "database/sql.Conn.QueryRowContext", "database/sql.Conn.ExecContext",
		"database/sql.Conn.PingContext", "database/sql.Conn.BeginTx", "database/sql.Conn.PrepareContext",
		"database/sql.Row.Scan", "database/sql.Rows.Next",
		"fmt.Scan", "fmt.Scanf", "fmt.Scanln", "io.PipeReader.Read", "io.PipeWriter.Write",
	},
})

// blockingFields are interface fields whose values wait for the network when they are read.
var blockingFields = map[string]bool{"net/http.Response.Body": true, "net/http.Request.Body": true}

func blockerTable(byAdvice map[string][]string) map[string]string {
	table := map[string]string{}
	for advice, names := range byAdvice {
		for _, name := range names {
			table[name] = advice
		}
	}
	return table
}
