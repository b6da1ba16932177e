//! The order of the sections: the one that is chosen, with those in their place that name a neighbour.

use super::ProfileBuilder;
use crate::{
    profile::{ProfileError, overlay::PLACE},
    section::SectionId,
    suggestion::{quoted, suggest_or},
};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use toml::{Table, Value};

/// An order: its sections, or those of another one, arranged otherwise.
#[derive(Deserialize)]
#[serde(untagged, expecting = "an order is a list of sections, or `{ of = \"…\", arrange = \"…\" }`")]
enum OrderToml {
    Listed(Vec<String>),
    Arranged { of: String, arrange: String },
}

impl ProfileBuilder<'_> {
    /// Returns the chosen order, with the sections that have `after` or `before` put in their place. A section that has
    /// neither and that no order names goes where new sections of layers go.
    pub(super) fn order(
        &mut self,
        sections: &Table,
        remove: &[String],
        added_after: Option<&SectionId>,
    ) -> Result<Vec<String>, ProfileError> {
        let chosen: Option<String> = self.take("order").map_err(|error: ProfileError| {
            error.help("`order` names an order; `main` below `[orders]` is the list of sections")
        })?;
        let orders: BTreeMap<String, OrderToml> = self.take_or("orders")?;
        let chosen = match self.agent {
            Some(_) => self.order_of_agents().ok_or_else(|| {
                self.error(&["agents"], format!("the profile `{}` has no agents", self.name()))
                    .help("an agent needs a profile with `[agents]`")
            })?,
            None => chosen.unwrap_or_else(|| "main".to_owned()),
        };
        let of_agents = self.order_of_agents().filter(|_| self.agent.is_none());
        let mut orders = orders;
        if let Some(order) = of_agents.and_then(|name| orders.remove(&name))
            && let OrderToml::Listed(order) = order
        {
            self.only_agents = order;
        }
        let mut listed = chosen.as_str();
        let mut order = match orders.get(&chosen) {
            Some(OrderToml::Listed(order)) => order.clone(),
            Some(OrderToml::Arranged { of, arrange }) => {
                let Some(OrderToml::Listed(order)) = orders.get(of) else {
                    return Err(self.error(&["orders", &chosen], format!("no order that is a list: `{of}`")));
                };
                listed = of;
                self.table.entry("arrange").or_insert_with(|| Value::String(arrange.clone()));
                order.clone()
            }
            None if orders.is_empty() => Vec::new(),
            None => {
                let names: Vec<&str> = orders.keys().map(String::as_str).collect();
                let error = self.value_error(&["order"], format!("unknown order: `{chosen}`"));
                return Err(error.help(format!("orders are {}", quoted(&names))));
            }
        };
        let mut known = BTreeSet::new();
        for (at, id) in order.iter().enumerate() {
            let error = |message| self.error(&["orders", listed, &at.to_string()], message);
            if !known.insert(id.as_str()) {
                return Err(error(format!("the order names `{id}` twice")));
            }
            if !sections.contains_key(id) && !remove.contains(id) {
                let error = error(format!("the order names an unknown section: `{id}`"));
                return Err(error.help(suggest_or(id, sections.keys().map(String::as_str), || {
                    "each name in an order is a `[section.…]` table".to_owned()
                })));
            }
        }
        order.retain(|id| !remove.contains(id));
        let mut waiting = Vec::new();
        for (id, table) in sections {
            let Some(table) = table.as_table() else {
                return Err(self.error(&["section", id], "a section must be a table"));
            };
            let places: Vec<&str> = PLACE.into_iter().filter(|key| table.contains_key(*key)).collect();
            let key = match places.as_slice() {
                [] => continue,
                [key] => *key,
                _ => {
                    return Err(self
                        .error(&["section", id], format!("section `{id}` has two places"))
                        .help("give it `after` or `before`, not both"));
                }
            };
            match table.get(key).and_then(Value::as_str) {
                Some(anchor) => waiting.push((id.as_str(), key, anchor)),
                None => {
                    return Err(self.value_error(&["section", id, key], format!("`{key}` names a section")));
                }
            }
        }
        if self.agent.is_some() {
            // The order of agents has few sections; what is next to another one belongs to the main conversation.
            waiting.retain(|(.., anchor)| order.iter().any(|known| known == anchor));
        }
        order.retain(|known| !waiting.iter().any(|(id, ..)| id == known));
        if self.agent.is_none() {
            let is_placed = |id: &str| {
                let is_listed = |order: &OrderToml| matches!(order, OrderToml::Listed(ids) if ids.iter().any(|listed| listed == id));
                orders.values().any(is_listed)
                    || self.only_agents.iter().any(|only| only == id)
                    || waiting.iter().any(|(waiting, ..)| *waiting == id)
            };
            let added: Vec<String> = sections.keys().filter(|id| !is_placed(id)).cloned().collect();
            let anchor = added_after.and_then(|after| order.iter().position(|id| id == after.as_str()));
            let at = anchor.map_or(order.len(), |anchor| anchor + 1);
            drop(order.splice(at..at, added));
        }
        self.place(&mut order, waiting)?;
        Ok(order)
    }

    /// The order of an agent's prompt.
    fn order_of_agents(&self) -> Option<String> {
        let order = self.table.get("agents")?.get("order")?.as_str()?;
        Some(order.to_owned())
    }

    /// Puts each section next to the one that it names, which may itself be waiting. Those behind the same one are in
    /// the order of their names.
    pub(super) fn place(
        &self,
        order: &mut Vec<String>,
        mut waiting: Vec<(&str, &str, &str)>,
    ) -> Result<(), ProfileError> {
        let mut behind: Vec<(&str, &str)> = Vec::new();
        while !waiting.is_empty() {
            let before = waiting.len();
            let mut still = Vec::new();
            for (id, key, anchor) in waiting {
                let Some(at) = order.iter().position(|known| known == anchor) else {
                    still.push((id, key, anchor));
                    continue;
                };
                let at = if key == "after" {
                    behind.push((id, anchor));
                    let mates =
                        order[at + 1..].iter().take_while(|known| behind.contains(&(known.as_str(), anchor)));
                    at + 1 + mates.count()
                } else {
                    at
                };
                order.insert(at, id.to_owned());
            }
            waiting = still;
            if waiting.len() == before {
                let ids: Vec<&str> = waiting.iter().map(|(id, ..)| *id).collect();
                let Some((id, key, anchor)) =
                    waiting.iter().copied().find(|(.., anchor)| !ids.contains(anchor))
                else {
                    let (id, key, _) = waiting[0];
                    let what =
                        format!("sections are placed next to each other in a circle: {}", quoted(&ids));
                    return Err(self.value_error(&["section", id, key], what));
                };
                let error = self.value_error(&["section", id, key], format!("unknown section: `{anchor}`"));
                return Err(error.help(suggest_or(anchor, order.iter().map(String::as_str), || {
                    "the section must be part of the order".to_owned()
                })));
            }
        }
        Ok(())
    }
}
