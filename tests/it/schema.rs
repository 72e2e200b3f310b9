//! tbd
use replaylint::schema;
#[test]
fn tables_compile() {
    let tables = schema::tables("responses");
    assert!(tables.len() > 40);
    for (name, table) in tables {
        if let Err(why) = table { panic!("{name}: {why}") }
    }
}
