//! Builds the service anew when the editor was built: what `web/dist` holds is embedded in a release.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=../../web/dist");
}
