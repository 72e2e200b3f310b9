# The program alone, linked statically, in an image that holds nothing else.
#
#   docker build -t replaylint .
#   docker run --rm -v "$PWD:/work" replaylint check transcripts/
FROM rust:1-alpine AS build
# What the C sources of SQLite and zstd are compiled with.
RUN apk add --no-cache gcc musl-dev
WORKDIR /source
COPY . .
RUN cargo build --locked --profile dist --features images --bin replaylint
# Large inputs are unpacked in /tmp.
RUN mkdir -p /image/tmp /image/work && chmod 1777 /image/tmp && cp target/dist/replaylint /image/

FROM scratch
COPY --from=build /image /
WORKDIR /work
ENTRYPOINT ["/replaylint"]
CMD ["--help"]
