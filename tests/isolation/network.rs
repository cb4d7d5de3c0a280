//! Every way out, tried by a job.

use std::fs;
use std::io::Write;
use std::net::{TcpListener, TcpStream, UdpSocket};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixDatagram, UnixListener, UnixStream};
use std::time::Duration;

use git_reins::model::run::End;
use git_reins::model::trial::{Enforced, KillGuard};
use git_reins::sandbox::fence::Fence;
use git_reins::sandbox::layer::Layer;

use super::bench::{Bench, MOUNTS, RULES, can};

#[test]
#[ignore = "a job of the other tests"]
fn a_job_that_calls_out() {
    let set = |name: &str| std::env::var(name).unwrap();
    let say = |name: &str, is_ok: bool, error: String| println!("\n>{name}>{is_ok}>{error}");
    let tell = |name: &str, tried: std::io::Result<()>| {
        say(
            name,
            tried.is_ok(),
            tried
                .err()
                .map(|error| error.to_string())
                .unwrap_or_default(),
        );
    };
    let out = "192.0.2.1:9".parse().unwrap();
    tell(
        "tcp out",
        TcpStream::connect_timeout(&out, Duration::from_millis(300)).map(drop),
    );
    tell("tcp", TcpStream::connect(set("TCP")).map(drop));
    let udp = |to: &str| {
        UdpSocket::bind("0.0.0.0:0")
            .and_then(|socket| socket.send_to(b"x", to))
            .map(drop)
    };
    tell("udp out", udp("192.0.2.1:9"));
    tell("udp", udp(&set("UDP")));
    let abstracted = SocketAddr::from_abstract_name(set("ABSTRACT")).unwrap();
    tell("abstract", UnixStream::connect_addr(&abstracted).map(drop));
    tell("path", UnixStream::connect(set("SOCKET")).map(drop));
    tell("moved path", UnixStream::connect(set("MOVED")).map(drop));
    tell(
        "datagram",
        UnixDatagram::unbound()
            .and_then(|socket| socket.send_to(b"x", set("DATAGRAM")))
            .map(drop),
    );
    let itself = TcpListener::bind("127.0.0.1:0").and_then(|listener| {
        let mut stream = TcpStream::connect(listener.local_addr()?)?;
        stream.write_all(b"x")
    });
    tell("loopback", itself);
    let own = UnixListener::bind("src/socket")
        .and_then(|_listener| UnixStream::connect("src/socket"))
        .map(drop);
    tell("own path", own);
    tell("pair", UnixStream::pair().map(drop));
    let perl = |code: &str| {
        let ran = std::process::Command::new("perl")
            .args(["-e", code])
            .output()?;
        let said = String::from_utf8_lossy(&ran.stdout).into_owned();
        if said == "ok" {
            Ok(())
        } else {
            Err(std::io::Error::other(said))
        }
    };
    tell("vsock", perl("print socket(S, 40, 1, 0) ? 'ok' : 0 + $!"));
    tell("packet", perl("print socket(S, 17, 3, 0) ? 'ok' : 0 + $!"));
    tell(
        "io_uring",
        perl("$p = \"\\0\" x 200; print syscall(425, 1, $p) >= 0 ? 'ok' : 0 + $!"),
    );
    // `keyctl` describes (6) the keyring of the user (-4)
    tell(
        "keyring",
        perl("print syscall(250, 6, -4, 0, 0, 0) >= 0 ? 'ok' : 0 + $!"),
    );
    tell(
        "x32",
        perl("print syscall(0x40000000 + 41, 1, 1, 0) >= 0 ? 'ok' : 0 + $!"),
    );
    let places: Vec<_> = ["/run", "/var/run"]
        .iter()
        .flat_map(|place| fs::read_dir(place).unwrap())
        .collect();
    let places = places
        .iter()
        .flatten()
        .filter(|entry| !entry.file_type().unwrap().is_symlink());
    say("services", places.count() > 0, String::new());
}

/// Which attempts worked, and why the others did not.
fn called(means: Enforced) -> (Vec<String>, String) {
    let bench = Bench::new(Layer::Copy);
    let tcp = TcpListener::bind("127.0.0.1:0").unwrap();
    let udp = UdpSocket::bind("127.0.0.1:0").unwrap();
    udp.set_nonblocking(true).unwrap();
    let name = bench.scratch.path().to_str().unwrap().to_owned();
    let abstracted = SocketAddr::from_abstract_name(&name).unwrap();
    let _abstract = UnixListener::bind_addr(&abstracted).unwrap();
    let [socket, datagram] = ["socket", "datagram"].map(|name| bench.scratch.path().join(name));
    let (_socket, receiver) = (
        UnixListener::bind(&socket).unwrap(),
        UnixDatagram::bind(&datagram).unwrap(),
    );
    receiver.set_nonblocking(true).unwrap();
    let [bound, moved] = ["bound", "moved"].map(|name| bench.scratch.path().join(name));
    let _moved = UnixListener::bind(&bound).unwrap();
    fs::rename(&bound, &moved).unwrap();
    let environment = bench
        .environment()
        .set("MOVED", &moved)
        .set("SOCKET", &socket)
        .set("DATAGRAM", &datagram)
        .set("ABSTRACT", &name);
    let environment = environment.set("TCP", tcp.local_addr().unwrap().to_string());
    let environment = environment.set("UDP", udp.local_addr().unwrap().to_string());
    let program = std::env::current_exe().unwrap();
    let test = "isolation::network::a_job_that_calls_out";
    let argv = [
        program.to_str().unwrap(),
        test,
        "--exact",
        "--ignored",
        "--nocapture",
        "--test-threads=1",
    ];
    let ran = bench
        .run_in(&mut bench.tree(), means, &argv, &environment)
        .unwrap();
    let said = ran.stdout.text();
    assert_eq!(ran.end, End::Exit(0), "{said}{}", ran.stderr.text());
    let lines: Vec<_> = said
        .lines()
        .filter_map(|line| line.strip_prefix('>'))
        .collect();
    assert_eq!(lines.len(), 17, "{said}");
    let worked = lines
        .iter()
        .filter(|line| line.contains(">true>"))
        .map(|line| line.split_once('>').unwrap().0);
    let mut worked: Vec<_> = worked.map(str::to_owned).collect();
    let heard = [udp.recv(&mut [0]).is_ok(), receiver.recv(&mut [0]).is_ok()];
    worked.extend(
        heard
            .iter()
            .filter(|heard| **heard)
            .map(|_| "heard".to_owned()),
    );
    (worked, said)
}

#[test]
fn a_network_of_its_own_leads_nowhere_but_home() {
    if !can(MOUNTS) {
        return;
    }
    for means in [
        MOUNTS,
        Enforced {
            network: MOUNTS.network,
            ..Fence::OPEN
        },
    ] {
        let (worked, said) = called(means);
        assert_eq!(worked, ["udp", "loopback", "own path", "pair"], "{said}"); // the datagram stays inside
        assert!(
            said.contains(">tcp out>false>Network is unreachable"),
            "{said}"
        );
        assert!(
            said.contains(">udp out>false>Network is unreachable"),
            "{said}"
        );
        assert!(
            said.contains(">vsock>false>97") && said.contains(">io_uring>false>38"),
            "{said}"
        );
    }
}

#[test]
fn a_filter_leaves_nothing_but_pairs() {
    if !can(RULES) {
        return;
    }
    let (worked, said) = called(RULES);
    let worked: Vec<_> = worked.iter().filter(|name| *name != "services").collect();
    assert_eq!(worked, ["pair"], "{said}");
    assert!(
        said.contains(">tcp>false>Permission denied") && said.contains(">io_uring>false>38"),
        "{said}"
    );
}

#[test]
fn who_may_reach_the_network_does() {
    let bench = Bench::new(Layer::Copy);
    let tcp = TcpListener::bind("127.0.0.1:0").unwrap();
    let script = format!(
        "perl -MSocket -e 'socket(S, 2, 1, 0); connect(S, sockaddr_in({}, inet_aton(\"127.0.0.1\"))) or exit 3'",
        tcp.local_addr().unwrap().port()
    );
    for means in [MOUNTS, RULES] {
        if !can(means) {
            continue;
        }
        let tree = bench.tree();
        let fence = Fence {
            network: git_reins::policy::Network::Allow,
            ..bench.fence(&tree, means)
        };
        let (argv, environment) = (
            ["sh", "-c", &script].map(std::ffi::OsString::from),
            bench.environment(),
        );
        let limits = git_reins::sandbox::plan::Limits {
            budget: bench.budget,
            output: 100,
        };
        let dir = tree.path();
        let fence = Some(&fence);
        let job = git_reins::sandbox::run::Job {
            argv: &argv,
            dir,
            environment: &environment,
            limits,
            fence,
        };
        let ran = super::bench::runner().run(&job, &mut |_| ()).unwrap();
        assert_eq!(ran.end, End::Exit(0), "{means:?} {ran:?}");
    }
}

#[test]
fn no_variable_leads_to_an_agent() {
    let means = Enforced {
        kill: KillGuard::Pgrp,
        ..Fence::OPEN
    };
    let said = Bench::new(Layer::Copy).sh(means, "env").stdout.text();
    let names: Vec<_> = said
        .lines()
        .filter_map(|line| line.split_once('='))
        .map(|(name, _)| name)
        .collect();
    let leads = |name: &&&str| {
        let git = [
            "GIT_CEILING_DIRECTORIES",
            "GIT_CONFIG_NOSYSTEM",
            "GIT_TERMINAL_PROMPT",
        ];
        let agent = ["SSH_", "DOCKER_", "XDG_", "DBUS_", "GIT_", "GPG_", "KUBE"];
        agent.iter().any(|start| name.starts_with(start)) && !git.contains(name)
    };
    assert_eq!(
        names.iter().filter(leads).collect::<Vec<_>>(),
        Vec::<&&str>::new()
    );
}
