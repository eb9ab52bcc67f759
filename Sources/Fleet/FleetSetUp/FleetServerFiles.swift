internal import FleetBook
internal import JetStreamClaims

/// What lies on the machine of a fleet's server, and gets there. Pure.
enum FleetServerFiles {
  /// Where it lies there.
  static let folder = "/etc/scangate-fleet"
  /// Where the claims lie.
  static let claims = "/var/lib/scangate-fleet"
  /// Names of the files there.
  static let configuration = "nats-server.conf"
  static let certificate = "certificate.pem"
  static let key = "key.pem"
  static let authority = "authority.pem"
  static let unit = "scangate.conf"
  static let installer = "install.sh"

  /// What follows from the layout alone.
  static func files(_ node: FleetNode, _ layout: FleetLayout) -> [FleetFile] {
    [
      FleetFile(FleetPath.server(node, configuration), configuration(node, layout).text),
      FleetFile(FleetPath.server(node, unit), unit(layout)),
      FleetFile(FleetPath.server(node, installer), installer(node, layout)),
    ]
  }

  /// The file that nats-server reads.
  static func configuration(_ node: FleetNode, _ layout: FleetLayout) -> JetStreamServerConfiguration {
    let anywhere = node.host.contains(":") ? "::" : "0.0.0.0"
    var configuration = JetStreamServerConfiguration(
      fleet: layout.name, name: node.name, listen: .init(host: anywhere, port: layout.port),
      certificate: "\(folder)/\(certificate)", key: "\(folder)/\(key)", authority: "\(folder)/\(authority)",
      // Of two events that follow each other both have room.
      folder: claims, disk: 2 * (layout.room + layout.listRoom), bucket: layout.event)
    if let former = layout.formerEvent { configuration.buckets.append(former) }
    if layout.nodes.count > 1 {
      configuration.cluster = .init(host: anywhere, port: layout.routePort)
      configuration.advertised = .init(host: node.host, port: layout.routePort)
      configuration.routes = layout.nodes.filter { $0 != node }.map { .init(host: $0.host, port: layout.routePort) }
    }
    configuration.administrators = layout.administrators.map { .init(name: "administrator", key: $0) }
    configuration.stations = layout.stations.flatMap { station in
      station.keys.map { .init(name: station.name.description, key: $0) }
    }
    return configuration
  }

  /// What Debian's unit of nats-server lacks.
  static func unit(_ layout: FleetLayout) -> String {
    """
    # A server of the fleet \(layout.name), for the unit nats-server of Debian. Made by scangate fleet.
    [Unit]
    # It is started again for as long as it takes.
    StartLimitIntervalSec=0

    [Service]
    ExecStart=
    ExecStart=/usr/sbin/nats-server -c \(folder)/\(configuration)
    # By a shell's own kill: a machine without procps has no other, and would go on taking a station that was revoked.
    ExecReload=
    ExecReload=/bin/sh -c "kill -HUP $MAINPID"
    # It ends in order, and hands over first what it leads.
    ExecStop=
    KillSignal=SIGINT
    Restart=always
    RestartSec=2
    StateDirectory=scangate-fleet
    StateDirectoryMode=0700
    LimitNOFILE=65536
    UMask=0077
    CapabilityBoundingSet=
    NoNewPrivileges=yes
    ProtectSystem=strict
    ProtectHome=yes
    PrivateDevices=yes
    ProtectKernelTunables=yes
    ProtectKernelModules=yes
    ProtectKernelLogs=yes
    ProtectControlGroups=yes
    ProtectClock=yes
    RestrictSUIDSGID=yes
    RestrictNamespaces=yes
    # It asks the kernel by netlink for its addresses.
    RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX AF_NETLINK

    """
  }

  /// Puts the files where they belong.
  static func installer(_ node: FleetNode, _ layout: FleetLayout) -> String {
    #"""
    #!/bin/sh
    # Makes this machine the server \#(node.name) of the fleet \#(layout.name): sudo sh install.sh
    # Made by scangate fleet. To be run again whenever a file beside it has changed: a server that runs reads it then, and stays up.
    set -eu
    cd "$(dirname "$0")"
    stop() {
      echo "install.sh: $*" >&2
      exit 1
    }
    [ "$(id -u)" = 0 ] || stop "ask as root: sudo sh install.sh"
    version=$(dpkg-query -W -f='${Version}' nats-server 2>/dev/null) || stop "nats-server is not installed: sudo apt install nats-server"
    dpkg --compare-versions "$version" ge \#(oldest) ||
      stop "nats-server is $version, and a fleet wants \#(oldest) or later: docs/fleet-servers.md says how Debian 12 gets it"
    folder=\#(folder)
    unit=/etc/systemd/system/nats-server.service.d/\#(unit)
    install -d -o root -g nats -m 750 "$folder"
    for file in \#(configuration) \#(certificate) \#(authority) \#(key); do
      install -o root -g nats -m 640 "$file" "$folder/$file.new"
      mv "$folder/$file.new" "$folder/$file"
    done
    nats-server -t -c "$folder/\#(configuration)" || stop "nats-server does not take $folder/\#(configuration): nothing was started"
    if cmp -s \#(unit) "$unit"; then
      systemctl reload-or-restart nats-server
    else
      install -D -o root -g root -m 644 \#(unit) "$unit"
      systemctl daemon-reload
      systemctl enable nats-server
      systemctl restart nats-server
    fi
    echo "This machine is the server \#(node.name) of the fleet \#(layout.name). What it says: journalctl -u nats-server"

    """#
  }

  /// The oldest version, as Debian's packages count: `JetStreamClaims` refuses older ones.
  private static let oldest = "2.10.27"
}
