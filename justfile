# Every command a contributor needs. `just` is a convenience: each recipe is one line you can type yourself.

# Lists the recipes.
default:
    @just --list

# Runs every check that needs only cargo and git.
test *args:
    cargo xtask test {{args}}

# Runs what CI runs.
ci:
    .ci/run

# Formats the code.
fmt:
    cargo fmt --all

# Builds the prompt of a directory: `just build -C ../some/project`.
build *args:
    cargo run --quiet --package preface-cli -- build {{args}}

# Builds the binary as it is shipped: target/dist/preface.
dist:
    cargo xtask release

# Measures preface beside its bars: `just bench template`.
bench *args:
    cargo xtask bench {{args}}

# Runs the property tests with random seeds: `just props --rounds 100`.
props *args:
    cargo xtask props {{args}}

# Kills writers in the middle of their work: `just crash --rounds 1000`.
crash *args:
    cargo xtask crash {{args}}

# Asks real MCP servers what they offer, over pipes and over HTTP.
mcp:
    cargo xtask mcp

# Builds the npm packages, installs them from their files and tests program and library: `just node --soak`.
node *args:
    cargo xtask node {{args}}

# Runs the examples for frameworks of agents; --all installs the large ones, too.
frameworks *args:
    cargo xtask frameworks {{args}}

# Races, kills and cuts off several `preface serve` on one store: `just nodes kill --rounds 20`.
nodes *args:
    cargo xtask nodes {{args}}

# Builds the wheels of the program and the library, installs them from their files and tests them.
python *args:
    cargo xtask python {{args}}

# Lets published MCP clients list, get and call what `preface mcp serve` offers.
mcp-serve *args:
    cargo xtask mcp-serve {{args}}

# Validates request bodies with the SDKs of four vendors.
requests *args:
    cargo xtask requests {{args}}

# Runs the examples for frameworks of agents.
frameworks *args:
    cargo xtask frameworks {{args}}

# Compares preset `pi` with the published packages: `just peers pi --variant 0.58`; starts published agents: `just peers agents`.
peers *args:
    cargo xtask peers {{args}}

# Builds the prompts of directories that nobody prepared, and checks every byte: `just real ~/src/*`.
real +dirs:
    cargo xtask real {{dirs}}

# Builds the documentation site, or tries it in a browser: `just docs --test`.
docs *args:
    cargo xtask docs {{args}}

# Opens the documentation of the libraries.
doc:
    cargo doc --workspace --no-deps --open

# Tries the service against its own description, and through clients made from it.
api *args:
    cargo xtask api {{args}}

# Builds the editor, or tries it in a browser: `just web --test`.
web *args:
    cargo xtask web {{args}}
