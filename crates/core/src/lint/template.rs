//! Notes on a template that its author may want to know; none of them changes what it renders to.
