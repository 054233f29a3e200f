//! stub
fn main() {
    let depth = std::env::args()
        .nth(1)
        .and_then(|d| d.parse().ok())
        .unwrap_or(12);
    rejoinder::tools::bench::run(depth, 16, &mut std::io::stdout()).unwrap();
}
