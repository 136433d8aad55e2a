//! `work SIZE TIMES`: asks the product's index for so many skills every written query so many times, for a tool that
//! counts instructions. The difference between two numbers of times is what the queries alone cost.

use std::error::Error;
use std::hint::black_box;

use search_beside_tantivy::pool::Pool;
use search_beside_tantivy::sides::build;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let mut number =
        || -> Result<usize, Box<dyn Error>> { Ok(arguments.next().ok_or("SIZE TIMES")?.parse()?) };
    let (size, times) = (number()?, number()?);
    let pool = Pool::written();
    let index = build("fused", pool.documents(size))?;
    for _ in 0..times {
        for query in &pool.queries {
            black_box(index.search(query));
        }
    }
    println!("{}", pool.queries.len());
    Ok(())
}
