//! The test clients of the service: packages of Python and npm, and the lists of their exact versions.

use crate::{
    child,
    failure::Failure,
    packages::{Node, Python},
};
use std::path::PathBuf;

const PYTHON: Python = Python {
    names: "schemathesis and openapi-python-client",
    requirements: include_str!("requirements.txt"),
    file: "xtask/src/api/requirements.txt",
};

const NODE: Node = Node {
    names: "openapi-typescript and openapi-fetch",
    package: include_str!("clients/typescript/package.json"),
    lock: include_str!("clients/typescript/package-lock.json"),
    file: "xtask/src/api/clients/typescript/package.json",
};

/// Returns the directory of everything that is installed and generated here.
pub fn directory() -> PathBuf {
    child::target().join("api")
}

/// Makes sure of the virtual environment; returns its interpreter.
///
/// # Errors
/// Python or its packages cannot be had. The error names what to install.
pub fn python() -> Result<PathBuf, Failure> {
    PYTHON.ensure(&directory().join("python"))
}

/// Makes sure of npm's packages; returns the directory that they lie in.
///
/// # Errors
/// Node or the packages cannot be had. The error names what to install.
pub fn node() -> Result<PathBuf, Failure> {
    let directory = directory().join("typescript");
    NODE.ensure(&directory)?;
    Ok(directory)
}

#[cfg(test)]
mod tests {
    use super::{NODE, PYTHON};
    use crate::packages::tests::{assert_exact, assert_locked};

    #[test]
    fn each_package_has_one_exact_version() {
        assert_exact(PYTHON.requirements);
        assert_locked(NODE.package, NODE.lock);
    }
}
