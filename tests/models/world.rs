//! What is a random history? Commits that map every item to a state, read from a tape of choices.

/// Row `0` is called `row-a`, row `1` is called `row-b`.
pub const ROWS: [&str; 2] = ["row-a", "row-b"];
/// The property files: one of each row, one that both may name, one that none names.
pub const PROPS: [&str; 4] = [
    "properties/a.py",
    "properties/b.py",
    "properties/both.py",
    "properties/conftest.py",
];
/// The fixture files.
pub const FIXTURES: [&str; 2] = ["fixtures/x", "fixtures/y"];
/// The texts: each row cites its own.
pub const SPECS: [&str; 2] = ["spec/a.md", "spec/b.md"];

/// One oracle row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Row {
    /// What it says.
    pub version: u8,
    /// Whether it scores.
    pub scored: bool,
    /// `authored_commit`.
    pub hint: u8,
    /// Which of [`PROPS`] it names.
    pub names: [bool; 4],
    /// The version of each file that it names, when it was pinned.
    pub pins: [u8; 4],
}

/// One freeze row; freeze `n` is seed 7 of row `n`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Freeze {
    /// What it says.
    pub version: u8,
    /// `base_rev` and `fixture_epoch`.
    pub base: u8,
}

/// The fixture ledger.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Epoch {
    /// The image.
    pub image: u8,
    /// The name.
    pub name: u8,
    /// The version of each of [`FIXTURES`] that it lists; `0` for one that it does not.
    pub pins: [u8; 2],
}

/// The state of every item at one commit; `0` is absence.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct State {
    /// The oracle rows.
    pub rows: [Option<Row>; 2],
    /// The freeze rows.
    pub freezes: [Option<Freeze>; 2],
    /// The property files.
    pub props: [u8; 4],
    /// The fixture ledger.
    pub epoch: Option<Epoch>,
    /// The fixture files.
    pub fixtures: [u8; 2],
    /// The texts.
    pub specs: [u8; 2],
    /// The policy.
    pub policy: u8,
    /// Two files of code.
    pub code: [u8; 2],
    /// A file of code that is for people only.
    pub auth: u8,
    /// An exempt file.
    pub docs: u8,
}

/// One commit: its parents have smaller numbers.
#[derive(Clone, Debug)]
pub struct Commit {
    /// The parents, in order.
    pub parents: Vec<usize>,
    /// The state of its tree.
    pub state: State,
    /// Whether it takes back a commit of the protected line.
    pub reverts: bool,
}

/// A history, a candidate, and the tips that hide what landed.
#[derive(Clone, Debug)]
pub struct World {
    /// The commits, parents before children.
    pub commits: Vec<Commit>,
    /// The candidate.
    pub tip: usize,
    /// The protected tips.
    pub hidden: Vec<usize>,
}

impl State {
    /// What a project starts from: one row, everything pinned.
    pub fn start() -> Self {
        let mut state = Self {
            props: [1, 0, 0, 1],
            fixtures: [1, 0],
            specs: [1, 1],
            policy: 1,
            code: [1, 1],
            epoch: Some(Epoch {
                image: 1,
                name: 1,
                pins: [1, 0],
            }),
            ..Self::default()
        };
        state.add_row(0, false);
        state
    }

    /// A project that has two rows already, one of them frozen.
    pub fn frozen_start() -> Self {
        let mut state = Self::start();
        state.props[1] = 1;
        state.add_row(1, false);
        state.freezes[1] = Some(Freeze {
            version: 1,
            base: 1,
        });
        state
    }

    fn add_row(&mut self, at: usize, both: bool) {
        let names = [at == 0, at == 1, both, false];
        self.rows[at] = Some(Row {
            version: 1,
            scored: true,
            hint: 1,
            names,
            pins: [0; 4],
        });
        self.pin(at);
    }

    fn pin(&mut self, at: usize) {
        let props = self.props;
        if let Some(row) = &mut self.rows[at] {
            row.pins = std::array::from_fn(|file| if row.names[file] { props[file] } else { 0 });
        }
    }

    /// A state that takes each item from one of several states.
    fn taken(from: &[Self], mut pick: impl FnMut(usize) -> Pick) -> Self {
        let (mut state, mut at) = (Self::default(), 0);
        macro_rules! take {
            ($($item:ident $([$index:literal])?),*) => {$(
                state.$item$([$index])? = match pick(at) {
                    Pick::Newest => from.iter().map(|one| one.$item$([$index])?).max().unwrap_or_default(),
                    Pick::From(one) => from[one % from.len()].$item$([$index])?,
                };
                at += 1;
            )*};
        }
        take!(
            rows[0], rows[1], freezes[0], freezes[1], props[0], props[1], props[2], props[3], epoch
        );
        take!(
            fixtures[0],
            fixtures[1],
            specs[0],
            specs[1],
            policy,
            code[0],
            code[1],
            auth,
            docs
        );
        assert_eq!(at, Self::ITEMS);
        state
    }

    /// How many items there are.
    const ITEMS: usize = 18;
}

#[derive(Clone, Copy)]
enum Pick {
    Newest,
    From(usize),
}

/// A tape of choices; past its end every choice is the plainest one.
pub struct Tape<'t> {
    rest: std::slice::Iter<'t, u16>,
}

impl Tape<'_> {
    fn next(&mut self, choices: usize) -> usize {
        self.rest
            .next()
            .map_or(0, |choice| usize::from(*choice) % choices)
    }
}

fn cycle(version: u8) -> u8 {
    version % 3 + 1
}

/// One edit. The plainest is of code, and code is touched most often.
fn edit(state: &mut State, tape: &mut Tape<'_>) {
    let kind = tape.next(34);
    let at = tape.next(2);
    match kind {
        0..=6 => state.code[at] = cycle(state.code[at]),
        7..=11 => match &mut state.rows[at] {
            Some(row) => row.version = cycle(row.version),
            None => {
                state.props[at] = state.props[at].max(1);
                let both = tape.next(3) == 2;
                state.add_row(at, both);
            }
        },
        12 => state.rows[at] = None,
        13 => state.rows[at]
            .iter_mut()
            .for_each(|row| row.scored = !row.scored),
        14 => state.rows[at]
            .iter_mut()
            .for_each(|row| row.hint = cycle(row.hint)),
        15 | 16 => {
            let file = tape.next(4);
            state.rows[at]
                .iter_mut()
                .for_each(|row| row.names[file] = !row.names[file]);
            state.pin(at);
        }
        17 => state.pin(at),
        18 | 19 => {
            let version = state.freezes[at].map_or(1, |freeze| cycle(freeze.version));
            state.freezes[at] = Some(Freeze { version, base: 1 });
        }
        20 => state.freezes[at] = None,
        21 => state.freezes[at]
            .iter_mut()
            .for_each(|freeze| freeze.base = cycle(freeze.base)),
        22 | 23 => {
            let file = tape.next(4);
            state.props[file] = cycle(state.props[file]);
        }
        24 => state.props[tape.next(4)] = 0,
        25 => state.fixtures[at] = cycle(state.fixtures[at]),
        26 => state.fixtures[at] = 0,
        27 | 28 => {
            let (image, name) = state
                .epoch
                .map_or((1, 0), |epoch| (epoch.image, epoch.name));
            state.epoch = Some(Epoch {
                image,
                name: name + 1,
                pins: state.fixtures,
            });
        }
        29 => state
            .epoch
            .iter_mut()
            .for_each(|epoch| epoch.image = cycle(epoch.image)),
        30 => state.specs[at] = cycle(state.specs[at]),
        31 => state.policy = cycle(state.policy),
        32 => state.docs = cycle(state.docs),
        _ => state.auth = cycle(state.auth),
    }
}

impl World {
    /// The history that a tape describes: at most twelve commits.
    pub fn read(tape: &[u16]) -> Self {
        let mut tape = Tape { rest: tape.iter() };
        let count = 2 + tape.next(11);
        let start = if tape.next(4) == 3 {
            State::frozen_start()
        } else {
            State::start()
        };
        let mut commits = vec![Commit {
            parents: Vec::new(),
            state: start,
            reverts: false,
        }];
        for at in 1..count {
            let parents = parents(at, &mut tape);
            let state = state(&commits, &parents, &mut tape);
            let reverts = tape.next(16) == 15 && parents.len() == 1;
            commits.push(Commit {
                parents,
                state,
                reverts,
            });
        }
        let mut hidden = Vec::new();
        for _ in 0..1 + tape.next(4) / 3 {
            let one = if tape.next(3) == 0 {
                0
            } else {
                tape.next(count - 1)
            };
            if !hidden.contains(&one) {
                hidden.push(one);
            }
        }
        Self {
            commits,
            tip: count - 1,
            hidden,
        }
    }

    /// Which commit reaches which, itself included: `matrix[new][old]`.
    pub fn matrix(&self) -> Vec<Vec<bool>> {
        let count = self.commits.len();
        let edge = |new: usize, old: usize| new == old || self.commits[new].parents.contains(&old);
        let mut matrix: Vec<Vec<bool>> = (0..count)
            .map(|new| (0..count).map(|old| edge(new, old)).collect())
            .collect();
        for via in 0..count {
            for new in 0..count {
                for old in 0..count {
                    matrix[new][old] |= matrix[new][via] && matrix[via][old];
                }
            }
        }
        matrix
    }

    /// Every world that is a little plainer: a commit, a parent, a line or a change less.
    pub fn plainer(&self) -> Vec<Self> {
        let mut worlds = Vec::new();
        for at in (1..self.commits.len()).rev() {
            if at != self.tip && !self.hidden.contains(&at) {
                worlds.push(self.without(at));
            }
            for parent in 1..self.commits[at].parents.len() {
                let mut world = self.clone();
                world.commits[at].parents.remove(parent);
                worlds.push(world);
            }
            let before = self.commits[at]
                .parents
                .first()
                .map_or_else(State::start, |one| self.commits[*one].state);
            let states = [self.commits[at].state, before];
            for item in 0..State::ITEMS {
                let mut world = self.clone();
                world.commits[at].state =
                    State::taken(&states, |one| Pick::From(usize::from(one == item)));
                if world.commits[at].state != states[0] {
                    worlds.push(world);
                }
            }
        }
        if self.hidden.len() > 1 {
            worlds.extend(self.hidden.iter().map(|one| Self {
                hidden: vec![*one],
                ..self.clone()
            }));
        }
        worlds
    }

    /// The history without one commit; its children become those of its parents.
    fn without(&self, gone: usize) -> Self {
        let moved = |at: usize| if at > gone { at - 1 } else { at };
        let mut world = self.clone();
        let removed = world.commits.remove(gone);
        for commit in &mut world.commits {
            let mut parents = Vec::new();
            for parent in &commit.parents {
                let above: &[usize] = if *parent == gone {
                    &removed.parents
                } else {
                    &[*parent]
                };
                for one in above.iter().map(|one| moved(*one)) {
                    if !parents.contains(&one) {
                        parents.push(one);
                    }
                }
            }
            commit.parents = parents;
        }
        world.tip = moved(self.tip);
        world.hidden = self.hidden.iter().map(|one| moved(*one)).collect();
        world
    }

    /// The history in short, for messages: what each commit changes against its first parent.
    pub fn shown(&self) -> String {
        let mut text = String::new();
        for (at, commit) in self.commits.iter().enumerate() {
            let before = commit
                .parents
                .first()
                .map_or_else(State::default, |first| self.commits[*first].state);
            let lines = |state: &State| -> Vec<String> {
                let text = format!("{state:?}").replace(", ", " ");
                let names = [
                    " rows",
                    " freezes",
                    " props",
                    " epoch:",
                    " fixtures",
                    " specs",
                    " policy",
                    " code",
                    " auth",
                    " docs",
                ];
                names
                    .iter()
                    .fold(text, |text, name| text.replace(name, &format!("\n{name}")))
                    .lines()
                    .map(str::to_owned)
                    .collect()
            };
            let (old, new) = (lines(&before), lines(&commit.state));
            let changes: Vec<_> = new
                .iter()
                .zip(&old)
                .filter(|(new, old)| new != old)
                .map(|(new, _)| new.as_str())
                .collect();
            let what = if at == 0 {
                "start".to_owned()
            } else {
                changes.join(" ")
            };
            text += &format!(
                "      {at} <- {:?} reverts={} {what}\n",
                commit.parents, commit.reverts
            );
        }
        text + &format!("      tip {} hidden {:?}\n", self.tip, self.hidden)
    }
}

fn parents(at: usize, tape: &mut Tape<'_>) -> Vec<usize> {
    let kind = tape.next(20);
    if kind == 19 {
        return Vec::new();
    }
    let mut parents = vec![match tape.next(4) {
        0 | 1 => at - 1,
        2 => at.saturating_sub(2),
        _ => tape.next(at),
    }];
    for _ in 0..[0, 1, 2][usize::from(kind >= 14) + usize::from(kind == 18)] {
        let other = tape.next(at);
        if !parents.contains(&other) {
            parents.push(other);
        }
    }
    parents
}

fn state(commits: &[Commit], parents: &[usize], tape: &mut Tape<'_>) -> State {
    let above: Vec<_> = parents
        .iter()
        .map(|parent| commits[*parent].state)
        .collect();
    let (mut state, edits) = match above.as_slice() {
        [] if tape.next(2) == 0 => (State::default(), 2),
        [] => (State::start(), tape.next(2)),
        [only] => (*only, 1 + tape.next(3)),
        [first, ..] => match tape.next(5) {
            0 | 1 => (State::taken(&above, |_| Pick::Newest), 0),
            2 => (*first, 0),
            3 => (State::taken(&above, |_| Pick::From(tape.next(3))), 0),
            _ => (State::taken(&above, |_| Pick::Newest), 1 + tape.next(2)),
        },
    };
    for _ in 0..edits {
        edit(&mut state, tape);
    }
    state
}
