# The program alone, linked statically, in an image that holds nothing else.
#
#   docker build -t replaylint .
#   docker run --rm -v "$PWD:/work" replaylint check transcripts/
FROM rust:1-alpine AS build
# What the C sources of SQLite and zstd are compiled with.
RUN apk add --no-cache gcc musl-dev
WORKDIR /source
COPY Cargo.toml Cargo.lock ./
COPY src src
COPY schemas schemas
COPY README.md LICENSE-APACHE LICENSE-MIT ./
RUN cargo build --locked --profile dist --bin replaylint

FROM scratch
COPY --from=build /source/target/dist/replaylint /replaylint
# Large inputs are unpacked there.
COPY --from=build --chmod=1777 /var/empty /tmp
WORKDIR /work
ENTRYPOINT ["/replaylint"]
CMD ["--help"]
