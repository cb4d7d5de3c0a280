//! Rebuilds when the embedded example changes: the compiler does not see that it is read.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=.gitreins-example");
}
