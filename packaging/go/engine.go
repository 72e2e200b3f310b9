package replaylint

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/rand"
	"embed"
	"errors"
	"fmt"
	"io"
	"math"
	"runtime"
	"sync"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"
)

// The folder always has a file, so that the package compiles without the engine and can say how to get it.
//
//go:embed engine
var engineFiles embed.FS

// ErrNoEngine says that the module was built without its engine.
var ErrNoEngine = errors.New("replaylint: this copy of the module has no engine: run packaging/go/build.sh, use a released version, or use NewWorker")

var errClosed = errors.New("replaylint: the client is closed")

// maxIdleMemory is the memory, in bytes, that an instance may keep for the next call: a large document makes it grow, and it
// never shrinks.
const maxIdleMemory = 64 << 20

// Config says how New compiles and runs the engine.
type Config struct {
	// CacheDir keeps the compiled engine, so that the next start takes a tenth of the time. It is empty for no cache.
	CacheDir string
	// Instances is how many calls run at once; others wait. Each takes 3 MB. 0 is the number of processors.
	Instances int
}

// New compiles the engine, which takes seconds without a cache. A program needs one client.
func New(ctx context.Context, config Config) (*Client, error) {
	wasm, err := engineBytes()
	if err != nil {
		return nil, err
	}
	settings := wazero.NewRuntimeConfig()
	var cache wazero.CompilationCache
	if config.CacheDir != "" {
		if cache, err = wazero.NewCompilationCacheWithDir(config.CacheDir); err != nil {
			return nil, fmt.Errorf("replaylint: %w", err)
		}
		settings = settings.WithCompilationCache(cache)
	}
	instances := config.Instances
	if instances <= 0 {
		instances = runtime.GOMAXPROCS(0)
	}
	engine := &engine{
		runtime: wazero.NewRuntimeWithConfig(ctx, settings),
		cache:   cache,
		free:    make(chan *instance, instances),
		closing: make(chan struct{}),
	}
	for range instances {
		engine.free <- nil
	}
	if err := engine.start(ctx, wasm); err != nil {
		return nil, errors.Join(fmt.Errorf("replaylint: %w", err), engine.close())
	}
	return &Client{transport: engine}, nil
}

func engineBytes() ([]byte, error) {
	packed, err := engineFiles.ReadFile("engine/replaylint.wasm.gz")
	if err != nil {
		return nil, ErrNoEngine
	}
	reader, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, fmt.Errorf("replaylint: the engine cannot be unpacked: %w", err)
	}
	return io.ReadAll(reader)
}

// engine is a pool of instances of the WebAssembly: one of them takes one call at a time.
type engine struct {
	runtime  wazero.Runtime
	cache    wazero.CompilationCache
	compiled wazero.CompiledModule
	// Instances that wait; nil stands for one that is yet to be made.
	free    chan *instance
	closing chan struct{}
	once    sync.Once
}

func (e *engine) start(ctx context.Context, wasm []byte) error {
	if _, err := wasi_snapshot_preview1.Instantiate(ctx, e.runtime); err != nil {
		return err
	}
	compiled, err := e.runtime.CompileModule(ctx, wasm)
	e.compiled = compiled
	return err
}

// An instance, and its exports, which keep what a call needs.
type instance struct {
	api.Module
	alloc, answer, release api.Function
}

func (e *engine) instance(ctx context.Context) (*instance, error) {
	// It has no files, no environment and no arguments; what it prints is dropped. Only random numbers are real.
	config := wazero.NewModuleConfig().WithName("").WithStartFunctions("_initialize").WithRandSource(rand.Reader)
	module, err := e.runtime.InstantiateModule(ctx, e.compiled, config)
	if err != nil {
		return nil, fmt.Errorf("replaylint: %w", err)
	}
	export := module.ExportedFunction
	return &instance{module, export("replaylint_alloc"), export("replaylint_answer"), export("replaylint_free")}, nil
}

func (e *engine) answer(ctx context.Context, request []byte) ([]byte, error) {
	var free *instance
	select {
	case <-e.closing:
		return nil, errClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	case free = <-e.free:
	}
	// A call runs to its end, or the instance could not be used again.
	ctx = context.WithoutCancel(ctx)
	var err error
	if free == nil {
		free, err = e.instance(ctx)
	}
	var answer []byte
	if err == nil {
		answer, err = free.call(ctx, request)
		if err != nil || free.Memory().Size() > maxIdleMemory {
			// What a fault leaves behind is in no known state.
			_ = free.Close(ctx)
			free = nil
		}
	}
	e.free <- free
	return answer, err
}

// close waits for the calls that have begun.
func (e *engine) close() (err error) {
	e.once.Do(func() {
		close(e.closing)
		for range cap(e.free) {
			<-e.free
		}
		err = e.runtime.Close(context.Background())
		if e.cache != nil {
			err = errors.Join(err, e.cache.Close(context.Background()))
		}
	})
	return err
}

func (i *instance) call(ctx context.Context, request []byte) ([]byte, error) {
	if uint64(len(request)) > math.MaxInt32 {
		return nil, &Error{Code: "too_large", Message: "the document is too large for the engine"}
	}
	length := uint64(len(request))
	at, err := i.alloc.Call(ctx, length)
	if err != nil {
		return nil, fault(err)
	}
	if !i.Memory().Write(uint32(at[0]), request) {
		return nil, fault(errors.New("the request does not fit"))
	}
	packed, err := i.answer.Call(ctx, at[0], length)
	if err != nil {
		return nil, fault(err)
	}
	start, size := uint32(packed[0]>>32), uint32(packed[0])
	view, ok := i.Memory().Read(start, size)
	if !ok {
		return nil, fault(errors.New("the answer is out of its memory"))
	}
	// The memory of the answer is used again.
	answer := bytes.Clone(view)
	if _, err := i.release.Call(ctx, uint64(start), uint64(size)); err != nil {
		return nil, fault(err)
	}
	return answer, nil
}

func fault(err error) error {
	return &Error{Code: "internal", Message: "internal error in the engine; this is a bug in replaylint, please report it: " + err.Error()}
}
