#!/usr/bin/python3
"""Checks the files of packaging/, as far as the programs that read them are installed.

    check_packaging.py --sluice PROGRAM

- Every option that they give to sluice is one; every metric in the rules and the dashboard is one.
- The image has the libraries that the program is linked to, does not run as root, and its health check tells a server that is
  ready from one that is not.
- YAML is read by PyYAML, Prometheus's files by promtool, the unit by systemd-analyze, nginx.conf by nginx.
"""
import argparse
import http.server
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PACKAGING = os.path.join(ROOT, "packaging")
problems, left_out = [], []


def text_of(name):
    with open(os.path.join(PACKAGING, name), encoding="utf-8") as f:
        return f.read()


def check(good, message):
    if not good:
        problems.append(message)


def run(*command, **options):
    return subprocess.run(command, capture_output=True, text=True, timeout=120, **options)


def succeeds(what, *command, **options):
    done = run(*command, **options)
    check(done.returncode == 0, f"{what}: {' '.join(command)}\n{done.stdout}{done.stderr}")
    return done


def check_options(sluice):
    """Of the command lines in the files, joined where a line goes on."""
    help_text = run(sluice, "serve", "--help").stdout
    known = set(re.findall(r"(?<![\w-])(--[a-z][a-z-]+|-[a-zA-Z])\b", help_text))
    check(len(known) > 30, "serve --help has few options")
    seen = 0
    for name in "Dockerfile", "compose.yaml", "sluice.service", "nginx.conf":
        for line in text_of(name).splitlines():
            command = re.search(r"\bsluice serve (.*)|^CMD (.*)|^ *- (--.*)|SLUICE_OPTIONS=(.*)|^# +(--.*)", line)
            for option in re.findall(r"(?<![\w-])(--[a-z][a-z-]+|-[a-zA-Z]\b)", command.group(0) if command else ""):
                seen += 1
                check(option in known, f"{name}: {option} is no option of sluice serve")
    check(seen > 15, "the files give few options to sluice")


def source_text(folder):
    texts = []
    for where, _, names in os.walk(os.path.join(ROOT, folder)):
        for name in names:
            if name.endswith(".c"):
                with open(os.path.join(where, name), encoding="utf-8") as f:
                    texts.append(f.read())
    return "\n".join(texts)


def check_metrics():
    known = set(re.findall(r"\b(sluice_[a-z0-9_]+|process_[a-z0-9_]+)", source_text("cli/serve/watch")))
    check(len(known) > 30, "few metrics are in cli/serve/watch")
    texts = {"prometheus-rules.yml": re.findall(r"expr: (.*)", text_of("prometheus-rules.yml"))}
    if os.path.exists(os.path.join(PACKAGING, "grafana", "sluice.json")):
        dashboard = json.loads(text_of("grafana/sluice.json"))
        texts["grafana/sluice.json"] = re.findall(r'"expr": "(.*?)(?<!\\)"', json.dumps(dashboard))
    for name, expressions in texts.items():
        check(expressions, f"{name} asks for nothing")
        for metric in set(re.findall(r"\bsluice_[a-z0-9_]+", " ".join(expressions))):
            base = re.sub(r"_(bucket|sum|count)$", "", metric)
            check(metric in known or base in known, f"{name}: sluice serve has no metric {metric}")


def check_yaml():
    try:
        import yaml
    except ImportError:
        left_out.append("PyYAML")
        return
    compose = yaml.safe_load(text_of("compose.yaml"))
    volumes, secrets = set(compose["volumes"]), set(compose["secrets"])
    for name, service in compose["services"].items():
        check("image" in service or "build" in service, f"compose.yaml: {name} has no image")
        for wanted in service.get("depends_on", []):
            check(wanted in compose["services"], f"compose.yaml: {name} depends on {wanted}")
        for port in service.get("ports", []):
            check(port.startswith("127.0.0.1:"), f"compose.yaml: {name}: {port} is open to the network")
        for secret in service.get("secrets", []):
            check(secret["source"] in secrets, f"compose.yaml: no secret {secret}")
            check(secret["mode"] == 0o400, f"compose.yaml: others can read {secret}")
        for volume in service.get("volumes", []):
            source = volume.split(":")[0]
            if source.startswith("."):
                check(os.path.exists(os.path.join(PACKAGING, source)) or source.endswith("grafana/sluice.json"),
                      f"compose.yaml: {name}: there is no {source}")
            else:
                check(source in volumes, f"compose.yaml: {name}: no volume {source}")
    build = compose["services"]["sluice"]["build"]
    context = os.path.join(PACKAGING, build["context"])
    check(os.path.exists(os.path.join(context, build["dockerfile"])), "compose.yaml: no such Dockerfile")
    for name in "prometheus.yml", "prometheus-rules.yml", "grafana/datasources.yaml", "grafana/dashboards.yaml":
        check(isinstance(yaml.safe_load(text_of(name)), dict), f"{name} is no mapping")
    target = yaml.safe_load(text_of("prometheus.yml"))["scrape_configs"][0]["static_configs"][0]["targets"][0]
    check(target == "sluice:8080" and "8080" in str(compose["services"]["sluice"]["ports"]), "Prometheus asks elsewhere")


def check_prometheus():
    if not shutil.which("promtool"):
        left_out.append("promtool")
        return
    succeeds("prometheus.yml", "promtool", "check", "config", os.path.join(PACKAGING, "prometheus.yml"))
    succeeds("prometheus-rules.yml", "promtool", "check", "rules", os.path.join(PACKAGING, "prometheus-rules.yml"))


def check_unit(sluice):
    if not shutil.which("systemd-analyze"):
        left_out.append("systemd-analyze")
        return
    with tempfile.TemporaryDirectory() as folder:
        unit = os.path.join(folder, "sluice.service")
        with open(unit, "w", encoding="utf-8") as f: # it looks for the program
            f.write(text_of("sluice.service").replace("/usr/local/bin/sluice", sluice))
        done = succeeds("sluice.service", "systemd-analyze", "verify", "--man=no", unit)
        check("sluice.service" not in done.stderr, f"sluice.service: {done.stderr}")
        # 0 is a service that can do nothing; one without any protection has 9.6
        done = run("systemd-analyze", "security", "--offline=true", "--threshold=20", unit)
        check(done.returncode == 0, f"sluice.service is exposed:\n{done.stdout[-400:]}")


def check_nginx():
    nginx = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin:/usr/local/sbin")
    if not nginx or not shutil.which("openssl"):
        left_out.append("nginx" if not nginx else "openssl")
        return
    with tempfile.TemporaryDirectory() as folder:
        succeeds("openssl", "openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", "-subj", "/CN=x",
                 "-keyout", f"{folder}/sluice.example.org.key", "-out", f"{folder}/sluice.example.org.pem")
        site = text_of("nginx.conf")
        site = site.replace("/etc/ssl/", folder + "/").replace("listen 443", f"listen unix:{folder}/socket")
        paths = "".join(f"{kind}_temp_path {folder}/{kind};" for kind in ("proxy", "client_body", "fastcgi", "uwsgi", "scgi"))
        with open(f"{folder}/nginx.conf", "w", encoding="utf-8") as f:
            f.write(f"pid {folder}/pid; error_log stderr; events {{}} http {{ access_log off; {paths}\n{site}}}\n")
        succeeds("nginx.conf", nginx, "-t", "-p", folder, "-c", f"{folder}/nginx.conf")


class Ready(http.server.BaseHTTPRequestHandler):
    status = 200

    def do_GET(self):
        self.send_response(self.status if self.path == "/v2/health/ready" else 404)
        self.end_headers()

    def log_message(self, *_):
        pass


def check_image(sluice):
    dockerfile = re.sub(r"\\\n", " ", text_of("Dockerfile"))
    stages = dockerfile.split("\nFROM ")
    check(len(stages) == 3, "Dockerfile: a stage to build and one to run")
    check(re.search(r"^USER (?!root)", stages[-1], re.M), "Dockerfile: it runs as root")
    installed = set(re.search(r"--no-install-recommends\s+(.*?)&&", stages[-1]).group(1).split())
    if shutil.which("dpkg") and os.path.exists("/etc/debian_version") and shutil.which("ldd") and shutil.which("readelf"):
        needed = re.findall(r"NEEDED.*\[(.*)\]", run("readelf", "-d", sluice).stdout)  # others come with what needs them
        for name, library in re.findall(r"(\S+) => (/\S+)", run("ldd", sluice).stdout):
            found = run("dpkg", "-S", os.path.realpath(library)).stdout or run("dpkg", "-S", library).stdout
            package = found.split(":")[0]
            if name in needed and package != "libc6":
                check(package in installed, f"Dockerfile: {package}, which has {library}, is not in the image")
    else:
        left_out.append("the packages of the libraries")
    ignored = text_of("Dockerfile.dockerignore").split()
    for wanted in "CMakeLists.txt", "cmake", "include", "src", "cli":
        check("!" + wanted in ignored, f"Dockerfile.dockerignore leaves {wanted} out")
    health = json.loads(re.search(r"^HEALTHCHECK .*? CMD (\[.*\])$", stages[-1], re.M).group(1))
    check("/8080 " in health[-1], "Dockerfile: the health check asks another port")
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Ready)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    asked = [*health[:-1], health[-1].replace("/8080 ", f"/{server.server_port} ")]
    for Ready.status, wanted in (200, 0), (503, 1):
        check(run(*asked).returncode == wanted, f"Dockerfile: the health check does not return {wanted} at {Ready.status}")
    server.shutdown()
    server.server_close()
    check(run(*asked).returncode == 1, "Dockerfile: the health check does not fail where no server is")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--sluice", required=True)
    sluice = os.path.abspath(parser.parse_args().sluice)
    check_options(sluice)
    check_metrics()
    check_yaml()
    check_prometheus()
    check_unit(sluice)
    check_nginx()
    check_image(sluice)
    print("\n".join(problems) or "packaging/ is as it should be" + (f"; not asked: {', '.join(left_out)}" if left_out else ""))
    sys.exit(bool(problems))


main()
