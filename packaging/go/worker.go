package replaylint

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
)

// NewWorker asks a process, `replaylint serve --stdio`, which it starts. program is the path of replaylint; it may be a name on
// PATH. One process answers one request at a time; a process that ends is started again by the next call.
func NewWorker(ctx context.Context, program string, args ...string) (*Client, error) {
	w := &worker{command: append([]string{program, "serve", "--stdio"}, args...), lock: make(chan struct{}, 1)}
	client := &Client{transport: w}
	// A wrong path is an error now, not at the first call.
	if _, err := client.Version(ctx); err != nil {
		return nil, errors.Join(err, w.close())
	}
	return client, nil
}

type worker struct {
	command []string
	// Full while somebody sends or closes.
	lock chan struct{}
	// The process; nil if none runs.
	process *process
	closed  bool
}

// process is a running worker. Its answers come in the order of the requests.
type process struct {
	command *exec.Cmd
	stdin   io.WriteCloser
	// Who waits for the answers, in order.
	waiting chan chan<- []byte
	// Closed when the process has ended.
	ended chan struct{}
}

// maxWaiting is how many requests are sent before the first of them is answered.
const maxWaiting = 64

func (w *worker) answer(ctx context.Context, request []byte) ([]byte, error) {
	replied := make(chan []byte, 1)
	process, err := w.send(ctx, request, replied)
	if err != nil {
		return nil, err
	}
	select {
	case line := <-replied:
		return line, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-process.ended:
	}
	// It may have answered just before.
	select {
	case line := <-replied:
		return line, nil
	default:
		return nil, &Error{Code: "internal", Message: "the worker has ended: " + process.command.String()}
	}
}

// send returns the process that the request was sent to.
func (w *worker) send(ctx context.Context, request []byte, replied chan<- []byte) (*process, error) {
	select {
	case w.lock <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	defer func() { <-w.lock }()
	if w.closed {
		return nil, errClosed
	}
	if w.process == nil || w.process.hasEnded() {
		started, err := start(w.command)
		if err != nil {
			return nil, fmt.Errorf("replaylint: %w", err)
		}
		w.process = started
	}
	select {
	case w.process.waiting <- replied:
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-w.process.ended:
		return w.process, nil
	}
	// If it cannot be written, the process has ended.
	_, _ = w.process.stdin.Write(append(request, '\n'))
	return w.process, nil
}

// close lets the process answer the requests that it has.
func (w *worker) close() error {
	w.lock <- struct{}{}
	defer func() { <-w.lock }()
	w.closed = true
	if w.process != nil {
		_ = w.process.stdin.Close()
		<-w.process.ended
	}
	return nil
}

func start(command []string) (*process, error) {
	p := &process{
		command: exec.Command(command[0], command[1:]...),
		waiting: make(chan chan<- []byte, maxWaiting),
		ended:   make(chan struct{}),
	}
	stdin, err := p.command.StdinPipe()
	if err != nil {
		return nil, err
	}
	stdout, err := p.command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.stdin = stdin
	if err := p.command.Start(); err != nil {
		return nil, err
	}
	go p.read(bufio.NewReaderSize(stdout, 1<<16))
	return p, nil
}

// read hands each answer to the one who waits for it, until the process ends.
func (p *process) read(stdout *bufio.Reader) {
	defer close(p.ended)
	for {
		line, err := stdout.ReadBytes('\n')
		if err != nil {
			_ = p.command.Process.Kill()
			_ = p.command.Wait()
			return
		}
		select {
		case replied := <-p.waiting:
			replied <- line
		default:
			// Nobody has asked: this is no worker.
			_ = p.command.Process.Kill()
		}
	}
}

func (p *process) hasEnded() bool {
	select {
	case <-p.ended:
		return true
	default:
		return false
	}
}
