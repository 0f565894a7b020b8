//! The positions of rows that the reader sorts.

use std::collections::HashMap;

use rusqlite::Connection;

use super::sql;
use crate::Result;

/// The ids of rows in the order that the reader wants; those that are not in it follow. Ids of no row are left out, so that
/// the work is that of the rows.
pub fn in_order(mut rows: Vec<i64>, wanted: &[i64]) -> Vec<i64> {
    let mut places = HashMap::new();
    for (place, id) in wanted.iter().enumerate() {
        places.entry(*id).or_insert(place);
    }
    rows.sort_by_key(|id| places.get(id).copied().unwrap_or(usize::MAX));
    rows
}

/// Writes the positions of rows that the reader has sorted.
pub fn set_positions(tx: &Connection, table: &str, ids: impl IntoIterator<Item = i64>) -> Result<()> {
    let sql = format!("UPDATE {table} SET position = ?2 WHERE id = ?1");
    for (position, id) in (0_i64..).zip(ids) {
        sql::run(tx, &sql, [id, position])?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::in_order;

    #[test]
    fn only_rows_are_put_in_order_and_each_once() {
        assert_eq!(in_order(vec![1, 2, 3, 4], &[3, 99, 1, 3, -1]), [3, 1, 2, 4]);
        assert_eq!(in_order(Vec::new(), &[3]), Vec::<i64>::new());
    }
}
