//! A table of both databases, and the statements that read it from one and write it to the other.

use tokio_postgres::types::Type;

/// The type of a column in PostgreSQL.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ColumnType {
    Big,
    Int,
    Small,
    Flag,
    Text,
    Bytes,
}

impl ColumnType {
    pub(super) fn postgres(self) -> Type {
        match self {
            Self::Big => Type::INT8,
            Self::Int => Type::INT4,
            Self::Small => Type::INT2,
            Self::Flag => Type::BOOL,
            Self::Text => Type::TEXT,
            Self::Bytes => Type::BYTEA,
        }
    }
}

/// A column. One of the names is empty if that database has no such column.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Column {
    pub(crate) sqlite: &'static str,
    pub(crate) postgres: &'static str,
    pub(crate) kind: ColumnType,
}

/// A table, which has the same name in both databases.
#[derive(Debug, Clone)]
pub(crate) struct Table {
    pub(crate) name: &'static str,
    pub(crate) columns: Vec<Column>,
    /// The columns of its key in SQLite: rows are read in their order.
    pub(super) key: &'static str,
    /// The column whose numbers are never given to another row.
    pub(super) counter: Option<&'static str>,
    /// How the rows are read from SQLite, if that is not the table of this name. SQLite would sort in memory, so they
    /// come in the order in which it finds them.
    pub(super) sqlite_rows: Option<&'static str>,
    /// How the rows are read from PostgreSQL, likewise.
    pub(super) postgres_rows: Option<&'static str>,
}

impl Table {
    /// The columns that PostgreSQL has.
    pub(super) fn in_postgres(&self) -> impl Iterator<Item = &Column> {
        self.columns.iter().filter(|column| !column.postgres.is_empty())
    }

    /// The columns that SQLite has.
    pub(super) fn in_sqlite(&self) -> impl Iterator<Item = &Column> {
        self.columns.iter().filter(|column| !column.sqlite.is_empty())
    }

    /// Whether SQLite has it.
    pub(super) fn is_in_sqlite(&self) -> bool {
        self.in_sqlite().next().is_some()
    }

    /// The query that reads it from SQLite, in the order of the columns that PostgreSQL has.
    pub(super) fn select_from_sqlite(&self) -> String {
        if let Some(rows) = self.sqlite_rows {
            return rows.to_owned();
        }
        let columns: Vec<&str> = self.in_postgres().map(|column| column.sqlite).collect();
        format!("SELECT {} FROM {} ORDER BY {}", columns.join(", "), self.name, self.key)
    }

    /// The statement that reads it from PostgreSQL, in the order of the columns that SQLite has.
    pub(super) fn copy_out_of_postgres(&self) -> String {
        let rows = self.postgres_rows.map_or_else(
            || {
                let columns: Vec<&str> = self.in_sqlite().map(|column| column.postgres).collect();
                let key: Vec<&str> = self.key.split(", ").map(|name| self.postgres_name(name)).collect();
                format!("SELECT {} FROM {} ORDER BY {}", columns.join(", "), self.name, key.join(", "))
            },
            str::to_owned,
        );
        format!("COPY ({rows}) TO STDOUT (FORMAT binary)")
    }

    fn postgres_name(&self, sqlite: &'static str) -> &'static str {
        self.columns.iter().find(|column| column.sqlite == sqlite).map_or(sqlite, |column| column.postgres)
    }

    /// The statement that takes its rows into PostgreSQL.
    pub(super) fn copy_into_postgres(&self) -> String {
        let columns: Vec<&str> = self.in_postgres().map(|column| column.postgres).collect();
        format!("COPY {} ({}) FROM STDIN (FORMAT binary)", self.name, columns.join(", "))
    }

    /// The statement that takes a row into SQLite.
    pub(super) fn insert_into_sqlite(&self) -> String {
        let columns: Vec<&str> = self.in_sqlite().map(|column| column.sqlite).collect();
        let values = vec!["?"; columns.len()].join(", ");
        format!("INSERT INTO {} ({}) VALUES ({values})", self.name, columns.join(", "))
    }
}

pub(super) fn column(name: &'static str, kind: ColumnType) -> Column {
    Column { sqlite: name, postgres: name, kind }
}

pub(super) fn number(name: &'static str) -> Column {
    column(name, ColumnType::Big)
}

pub(super) fn small(name: &'static str) -> Column {
    column(name, ColumnType::Small)
}

pub(super) fn flag(name: &'static str) -> Column {
    column(name, ColumnType::Flag)
}

pub(super) fn text(name: &'static str) -> Column {
    column(name, ColumnType::Text)
}

pub(super) fn bytes(name: &'static str) -> Column {
    column(name, ColumnType::Bytes)
}

/// The user whose row it is.
pub(super) const USER: Column = Column { sqlite: "user", postgres: "user_key", kind: ColumnType::Big };

/// A number that only PostgreSQL has.
pub(super) fn derived(name: &'static str) -> Column {
    Column { sqlite: "", postgres: name, kind: ColumnType::Big }
}

pub(super) fn table(name: &'static str, key: &'static str, columns: impl Into<Vec<Column>>) -> Table {
    Table { name, columns: columns.into(), key, counter: None, sqlite_rows: None, postgres_rows: None }
}

pub(super) fn counted(name: &'static str, key: &'static str, columns: impl Into<Vec<Column>>) -> Table {
    Table { counter: Some(key), ..table(name, key, columns) }
}
