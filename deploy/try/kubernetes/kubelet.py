#!/usr/bin/env python3
"""Runs the pods of a test cluster as processes of this machine.

It does for several nodes what a kubelet does, as far as the chart needs it: volumes, environment, the
container's own command in a root folder and mount namespace of its own, as the user of the pod's security
context, with a read-only root; start-up, liveness and readiness probes; preStop hooks; grace periods;
restarts; the pod's status. Every pod gets a new address of the loopback network, or that of its annotation
morty-try/address, and the names that the cluster's DNS would give it. It pulls no images: the folder of an unpacked archive stands at /opt/morty.

    kubelet.py --server https://127.0.0.1:6443 --token TOKEN --folder FOLDER --archive FOLDER NODE=REGION/ZONE...
"""

import argparse
import base64
import datetime
import itertools
import json
import os
import pathlib
import re
import shutil
import signal
import ssl
import subprocess
import threading
import time
import urllib.error
import urllib.request

arguments = argparse.ArgumentParser()
arguments.add_argument("--server", required=True)
arguments.add_argument("--token", required=True)
arguments.add_argument("--folder", required=True, type=pathlib.Path)
arguments.add_argument("--archive", required=True, type=pathlib.Path)
arguments.add_argument("nodes", nargs="+", metavar="NODE=REGION/ZONE")
options = arguments.parse_args()

# The API server makes its own certificate, and listens on loopback only.
tls = ssl._create_unverified_context()
addresses = itertools.count(2)
started = time.monotonic()


def say(text):
    print(f"kubelet {time.monotonic() - started:7.1f} s: {text}", flush=True)


def now():
    return datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def call(method, path, body=None, kind="application/json"):
    request = urllib.request.Request(
        options.server + path,
        method=method,
        data=None if body is None else json.dumps(body).encode(),
        headers={"Authorization": "Bearer " + options.token, "Content-Type": kind},
    )
    with urllib.request.urlopen(request, context=tls, timeout=10) as answer:
        return json.load(answer)


def quietly(method, path, body=None, kind="application/json"):
    try:
        return call(method, path, body, kind)
    except urllib.error.HTTPError as refusal:
        if refusal.code not in (404, 409):
            say(f"{method} {path}: {refusal.code} {refusal.read()[:300]!r}")
        return None


class Pod:
    """One pod; its thread owns the process."""

    def __init__(self, pod, hosts):
        meta = pod["metadata"]
        self.uid, self.namespace, self.name = meta["uid"], meta["namespace"], meta["name"]
        self.path = f"/api/v1/namespaces/{self.namespace}/pods/{self.name}"
        self.spec = pod["spec"]
        self.container = self.spec["containers"][0]
        number = next(addresses)
        chosen = meta.get("annotations", {}).get("morty-try/address")
        self.address = chosen or f"127.7.{number // 250}.{number % 250 + 1}"
        self.hosts = hosts
        self.folder = options.folder / "pods" / f"{self.name}-{self.uid[:8]}"
        self.restarts = 0
        self.deletion = None  # the grace period in seconds, once the pod is deleted
        self.ready = self.up = False
        self.result = None
        self.since = now()
        self.process = None
        threading.Thread(target=self.run, daemon=True).start()

    # --- volumes and root

    def resource(self, kind, name):
        return call("GET", f"/api/v1/namespaces/{self.namespace}/{kind}/{name}")

    def write(self, folder, files, mode):
        for name, data in files.items():
            file = folder / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(data)
            file.chmod(mode)
            os.chown(file, 0, self.group)

    def secret(self, name):
        return {k: base64.b64decode(v) for k, v in self.resource("secrets", name).get("data", {}).items()}

    def volume(self, volume):
        folder = self.folder / "volumes" / volume["name"]
        folder.mkdir(parents=True, exist_ok=True)
        if "configMap" in volume:
            data = self.resource("configmaps", volume["configMap"]["name"])["data"]
            self.write(folder, {k: v.encode() for k, v in data.items()}, 0o644)
        elif "secret" in volume:
            self.write(folder, self.secret(volume["secret"]["secretName"]), volume["secret"].get("defaultMode", 0o644))
        elif "projected" in volume:
            for source in volume["projected"]["sources"]:
                data = self.secret(source["secret"]["name"])
                files = {item["path"]: data[item["key"]] for item in source["secret"]["items"]}
                self.write(folder, files, volume["projected"].get("defaultMode", 0o644))
        elif "persistentVolumeClaim" in volume:
            claim = self.resource("persistentvolumeclaims", volume["persistentVolumeClaim"]["claimName"])
            bound = call("GET", "/api/v1/persistentvolumes/" + claim["spec"]["volumeName"])
            folder = pathlib.Path(bound["spec"]["hostPath"]["path"])
            folder.mkdir(parents=True, exist_ok=True)
            os.chown(folder, 0, self.group)
            folder.chmod(0o2775)
        elif "emptyDir" in volume:
            os.chown(folder, 0, self.group)
            folder.chmod(0o2777)
        else:
            raise ValueError(f"volume {volume['name']} is of a kind that is not supported")
        return folder

    def prepare(self):
        security = self.spec["securityContext"]
        self.user, self.group = security["runAsUser"], security["fsGroup"]
        self.environment = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOSTNAME": self.name}
        for variable in self.container.get("env", []):
            source = variable.get("valueFrom", {}).get("fieldRef", {}).get("fieldPath")
            self.environment[variable["name"]] = self.name if source == "metadata.name" else variable["value"]
        root = self.folder / "root"
        for name in ("usr", "proc", "dev", "etc", "opt/morty", "tmp"):
            (root / name).mkdir(parents=True, exist_ok=True)
        for name in ("bin", "lib", "lib64", "sbin"):
            link = root / name
            if not link.is_symlink():
                link.symlink_to("usr/" + name)
        (root / "etc/passwd").write_text(f"root:x:0:0::/:/bin/sh\nmorty:x:{self.user}:{self.group}::/:/bin/sh\n")
        (root / "etc/hosts").touch()
        binds = [("/usr", "usr", "ro"), ("/proc", "proc", "rw"), ("/dev", "dev", "rw"),
                 (options.archive, "opt/morty", "ro"), (self.hosts, "etc/hosts", "ro")]
        volumes = {volume["name"]: self.volume(volume) for volume in self.spec["volumes"]}
        for mount in self.container["volumeMounts"]:
            source = volumes[mount["name"]]
            part = mount.get("subPath") or self.expand(mount.get("subPathExpr", ""))
            source = source / part if part else source
            target = root / mount["mountPath"].lstrip("/")
            if source.is_dir():
                target.mkdir(parents=True, exist_ok=True)
            else:
                target.parent.mkdir(parents=True, exist_ok=True)
                target.touch()
            binds.append((source, mount["mountPath"].lstrip("/"), "ro" if mount.get("readOnly") else "rw"))
        lines = [f"mount --bind {root} {root}"]
        for source, target, mode in binds:
            lines.append(f"mount --rbind {source} {root}/{target}")
            if mode == "ro":
                lines.append(f"mount -o remount,bind,ro {root}/{target}")
        if self.container["securityContext"].get("readOnlyRootFilesystem"):
            lines.append(f"mount -o remount,bind,ro {root}")
        (self.folder / "enter.sh").write_text("set -eu\n" + "\n".join(lines) + f"""
exec /usr/sbin/chroot --userspec={self.user}:{self.group} {root} "$@"
""")

    def expand(self, text):
        return re.sub(r"\$\((\w+)\)", lambda match: self.environment.get(match.group(1), match.group(0)), text)

    # --- the process

    def start(self):
        command = [self.expand(word) for word in self.container.get("command", []) + self.container.get("args", [])]
        log = open(self.folder / "log", "ab")
        self.process = subprocess.Popen(
            ["unshare", "--mount", "--propagation", "private", "bash", self.folder / "enter.sh", *command],
            env=self.environment, stdout=log, stderr=log, stdin=subprocess.DEVNULL, start_new_session=True)

    def pre_stop(self, deadline):
        command = self.container.get("lifecycle", {}).get("preStop", {}).get("exec", {}).get("command")
        if not command or self.process.poll() is not None:
            return
        began = time.monotonic()
        with open(self.folder / "prestop", "ab") as log:
            try:
                code = subprocess.run(
                    ["nsenter", f"--target={self.process.pid}", "--mount", "--root", "--wd",
                     f"--setuid={self.user}", f"--setgid={self.group}", *command],
                    env=self.environment, stdout=log, stderr=log, timeout=max(1, deadline - began)).returncode
            except subprocess.TimeoutExpired:
                code = "timeout"
        say(f"{self.name}: preStop took {time.monotonic() - began:.1f} s, exit code {code}")

    def stop(self, seconds):
        deadline = time.monotonic() + seconds
        self.pre_stop(deadline)
        if self.process.poll() is None:
            say(f"{self.name}: SIGTERM")
            os.killpg(self.process.pid, signal.SIGTERM)
            try:
                self.process.wait(max(2, deadline - time.monotonic()))
            except subprocess.TimeoutExpired:
                say(f"{self.name}: SIGKILL")
                os.killpg(self.process.pid, signal.SIGKILL)
                self.process.wait()

    def run(self):
        try:
            while self.deletion is None:
                try:
                    self.folder.mkdir(parents=True, exist_ok=True)
                    self.prepare()
                    break
                except (urllib.error.HTTPError, KeyError) as missing:
                    say(f"{self.name}: a volume is not there yet: {missing}")
                    time.sleep(2)
            if self.deletion is None:
                say(f"{self.name}: starts at {self.address} on {self.spec['nodeName']}")
                self.start()
                self.watch()
                self.up = self.result is None
                if self.result is None:
                    self.stop(self.deletion)
            while self.deletion is None:
                time.sleep(0.2)
            quietly("DELETE", self.path, {"gracePeriodSeconds": 0, "preconditions": {"uid": self.uid}})
            say(f"{self.name}: gone")
        except Exception as failure:  # a thread must not end without a word
            say(f"{self.name}: {failure!r}")
            raise

    def watch(self):
        """Until the pod is deleted, or its process has ended for good."""
        last = {"startupProbe": 0.0, "readinessProbe": 0.0, "livenessProbe": 0.0}
        failures = {"startupProbe": 0, "livenessProbe": 0, "readinessProbe": 0}
        self.up = "startupProbe" not in self.container
        while self.deletion is None:
            code = self.process.poll()
            if code is not None:
                say(f"{self.name}: ended with exit code {code}")
                self.ready = False
                if self.spec["restartPolicy"] == "Never":
                    self.result = code
                    return
                time.sleep(2)
                self.restarts += 1
                self.up = "startupProbe" not in self.container
                self.start()
            for kind in ("startupProbe",) if not self.up else ("readinessProbe", "livenessProbe"):
                probe = self.container.get(kind)
                if probe and time.monotonic() - last[kind] >= probe.get("periodSeconds", 10):
                    last[kind] = time.monotonic()
                    good = self.probe(probe)
                    failures[kind] = 0 if good else failures[kind] + 1
                    if kind == "startupProbe" and good:
                        self.up = True
                    if kind == "readinessProbe" and good != self.ready and (good or failures[kind] >= 3):
                        self.ready = good
                        say(f"{self.name}: {'ready' if good else 'not ready'}")
                    if kind == "livenessProbe" and failures[kind] >= probe.get("failureThreshold", 3):
                        say(f"{self.name}: not live")
                        os.killpg(self.process.pid, signal.SIGKILL)
            if "readinessProbe" not in self.container:
                self.ready = self.up
            time.sleep(0.2)

    def probe(self, probe):
        port = probe["httpGet"]["port"]
        for known in self.container["ports"]:
            if known.get("name") == port:
                port = known["containerPort"]
        try:
            url = f"http://{self.address}:{port}{probe['httpGet']['path']}"
            with urllib.request.urlopen(url, timeout=probe.get("timeoutSeconds", 1)):
                return True
        except OSError:
            return False

    # --- what the API server is told

    def status(self):
        running = self.process is not None and self.process.poll() is None
        if self.result is not None:
            state = {"terminated": {"exitCode": self.result, "finishedAt": now(), "startedAt": self.since}}
            phase = "Succeeded" if self.result == 0 else "Failed"
        elif running:
            state, phase = {"running": {"startedAt": self.since}}, "Running"
        else:
            state, phase = {"waiting": {"reason": "ContainerCreating"}}, "Pending"
        ready = self.ready and running
        container = {"name": self.container["name"], "image": self.container["image"], "imageID": "", "ready": ready,
                     "restartCount": self.restarts, "started": self.up, "state": state}
        kinds = {"PodScheduled": True, "Initialized": True, "ContainersReady": ready, "Ready": ready}
        return {"phase": phase, "hostIP": "127.0.0.1", "podIP": self.address, "podIPs": [{"ip": self.address}],
                "startTime": self.since, "containerStatuses": [container],
                "conditions": [{"type": kind, "status": str(value)} for kind, value in kinds.items()]}


def add_nodes():
    for text in options.nodes:
        name, _, place = text.partition("=")
        region, _, zone = place.partition("/")
        labels = {"kubernetes.io/hostname": name, "topology.kubernetes.io/region": region,
                  "topology.kubernetes.io/zone": zone}
        quietly("POST", "/api/v1/nodes", {"metadata": {"name": name, "labels": labels}})


def heartbeat():
    for text in options.nodes:
        name = text.partition("=")[0]
        resources = {"cpu": "32", "memory": "64Gi", "pods": "20", "ephemeral-storage": "100Gi"}
        ready = {"type": "Ready", "status": "True", "reason": "Try", "lastHeartbeatTime": now()}
        quietly("PATCH", f"/api/v1/nodes/{name}/status",
                {"status": {"capacity": resources, "allocatable": resources, "conditions": [ready]}},
                "application/strategic-merge-patch+json")


def write_hosts(file, pods):
    lines = ["127.0.0.1 localhost"]
    for pod in pods.values():
        if "subdomain" in pod.spec:
            service = f"{pod.name}.{pod.spec['subdomain']}.{pod.namespace}.svc.cluster.local"
            lines.append(f"{pod.address} {service}")
    with open(file, "r+") as out:  # the same file: it is mounted
        out.write("\n".join(lines) + "\n")
        out.truncate()


def main():
    shutil.rmtree(options.folder / "pods", ignore_errors=True)
    options.folder.mkdir(parents=True, exist_ok=True)
    hosts = options.folder / "hosts"
    hosts.touch()
    hosts.chmod(0o644)
    add_nodes()
    mine = {text.partition("=")[0] for text in options.nodes}
    pods, told, beat = {}, {}, 0.0

    def end(*_):
        for pod in pods.values():
            if pod.process is not None and pod.process.poll() is None:
                os.killpg(pod.process.pid, signal.SIGKILL)
        os._exit(0)

    signal.signal(signal.SIGTERM, end)
    while True:
        if time.monotonic() - beat > 5:
            beat = time.monotonic()
            heartbeat()
        try:
            listed = call("GET", "/api/v1/pods")["items"]
        except OSError as failure:
            say(f"the API server does not answer: {failure}")
            time.sleep(1)
            continue
        here = {pod["metadata"]["uid"]: pod for pod in listed if pod["spec"].get("nodeName") in mine}
        for uid in set(pods) - set(here):
            del pods[uid]
        for uid, pod in here.items():
            if uid not in pods:
                pods[uid] = Pod(pod, hosts)
            if "deletionTimestamp" in pod["metadata"] and pods[uid].deletion is None:
                say(f"{pods[uid].name}: deleted, with {pod['metadata']['deletionGracePeriodSeconds']} s of grace")
                pods[uid].deletion = pod["metadata"]["deletionGracePeriodSeconds"]
        write_hosts(hosts, pods)
        for uid, pod in pods.items():
            status = pod.status()
            if told.get(uid) != json.dumps(status):
                told[uid] = json.dumps(status)
                quietly("PATCH", pod.path + "/status", {"status": status}, "application/strategic-merge-patch+json")
        time.sleep(0.3)


main()
