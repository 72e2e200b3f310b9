module replaylint/packaging/go

go 1.22.0

require github.com/tetratelabs/wazero v1.9.0
