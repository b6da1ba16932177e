//! scratch
fn main() {
    let system = preface::OsSystem::new(preface::ASSETS);
    let mut request = preface::Request::new(std::env::args().nth(1).unwrap());
    request.preset = std::env::args().nth(2);
    request.trust = preface::TrustChoice::Once;
    request.tools = preface::ToolChoice::Named(vec!["read".into(), "bash".into(), "edit".into()]);
    let b = preface::Engine::new(&system).build(&request).unwrap();
    b.prompt.check_tiling().unwrap();
    println!("{}", b.prompt.text);
    for n in &b.prompt.diagnostics {
        eprintln!("{} {}: {}", n.severity, n.code, n.message);
    }
    for n in &b.prompt.absent {
        eprintln!("absent {}: {}", n.section, n.why);
    }
    for p in &b.prompt.parts {
        eprintln!("{} {:?} {}", p.section, p.range, p.stability);
    }
}
