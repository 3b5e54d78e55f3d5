"""The wheel and the tar.gz that `make dist` has made, as a new user installs them."""
import http.client
import os
import re
import shutil
import sys
import zipfile

import pytest
from running import ROOT, Failed, program, run, wait_until

pytestmark = pytest.mark.linux
LICENCES = ("swift sentrybench boringssl swift-nio swift-nio-ssl swift-argument-parser libyaml "
            "zlib libserialport LGPL-3 GPL-3 RELINKING").split()
SHARED = ("man/man1/sentrybench.1 man/man1/sentrybench-run.1 zsh/site-functions/_sentrybench "
          "bash-completion/completions/sentrybench fish/vendor_completions.d/sentrybench.fish"
          ).split()


@pytest.fixture
def outside(monkeypatch):
    """Nothing on this system helps: neither another sentrybench on PATH nor the sources' pages."""
    for name in ("SENTRYBENCH", "SENTRYBENCH_SHARE"):
        monkeypatch.delenv(name, raising=False)


def check_served(folder, paths, *command):
    """Checks that a program serves each file, with no source tree around it."""
    with open(folder / "said", "wb") as log, \
            program(*command, stdout=log, stderr=log, cwd=folder) as server:
        def port():
            if server.poll() is not None:
                raise Failed((folder / "said").read_text())
            return re.search(r"(?:ws|http)://127\.0\.0\.1:(\d+)", (folder / "said").read_text())
        connection = http.client.HTTPConnection(
            "127.0.0.1", int(wait_until(command, port)[1]), timeout=60)
        for path in paths:
            connection.request("GET", path)
            answer = connection.getresponse()
            assert answer.read() and answer.status == 200, f"{path}: {answer.status}"


def check_pages(folder, bench):
    """Checks that a program serves every file of every page."""
    files = [path.relative_to(ROOT / "web") for name in ("dashboard", "common")
             for path in (ROOT / "web" / name).rglob("*")
             if path.is_file() and path.suffix != ".ts"]
    files += [path.relative_to(ROOT / ".build") for name in ("phone", "playground")
              for path in (ROOT / ".build" / name).rglob("*") if path.is_file()]
    assert sum(file.suffix == ".wasm" for file in files) == 4, "the pages are not built"
    paths = [f"/{file}" for file in files] + ["/dashboard/", "/phone/", "/playground/"]
    check_served(folder, paths, bench, "gateway", "--listen", "127.0.0.1:0")
    check_served(folder, [path for path in paths if path.startswith("/playground/")],
                 bench, "playground", "--port", "0")


def test_the_checksums_of_the_packages_are_right():
    run("sha256sum", "--check", "--quiet", "SHA256SUMS", cwd=ROOT / "dist")


def test_the_wheel_has_its_licences_manuals_and_completions(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    for name in LICENCES:
        assert f"sentrybench/licenses/{name}.txt" in names
    for name in SHARED:
        assert any(entry.endswith(f".data/data/share/{name}") for entry in names), name


def test_the_wheel_works_in_an_empty_environment(wheel, outside, tmp_path):
    run(sys.executable, "-m", "venv", tmp_path / "environment", seconds=300)
    environment = tmp_path / "environment/bin"
    pip = [environment / "python", "-m", "pip", "install", "-q", "--disable-pip-version-check"]
    run(*pip, "--no-index", wheel)
    bench = environment / "sentrybench"
    (installed,) = tmp_path.glob("environment/lib/python*/site-packages/sentrybench/bin/*bench")
    linked = run("ldd", installed).stdout
    assert not re.search("swift|serialport|yaml|libz|Foundation", linked), linked
    version = run(bench, "--version").stdout.strip()
    package = run(environment / "python", "-c", "import sentrybench as b; print(b.__version__)")
    assert package.stdout.strip() == version and f"-{version}-" in wheel.name
    check_pages(tmp_path, bench)
    run(*pip, "pytest", seconds=300)
    shutil.copytree(ROOT / "examples/ci/python", tmp_path / "example")
    run(environment / "python", "-m", "pytest", "-q", "-p", "no:cacheprovider",
        cwd=tmp_path / "example",
        env={name: value for name, value in os.environ.items() if "PYTEST" not in name})


def test_the_tar_gz_has_manuals_and_every_page_and_works(outside, tmp_path):
    (archive,) = (ROOT / "dist").glob("sentrybench-*.tar.gz")
    run("tar", "-C", tmp_path, "-xzf", archive)
    (unpacked,) = tmp_path.glob("sentrybench-*")
    assert (unpacked / "share/man/man1/sentrybench-run.1").stat().st_size > 0
    bench = unpacked / "bin/sentrybench"
    assert f"-{run(bench, '--version').stdout.strip()}-" in archive.name
    run(bench, "test", "examples/scenarios/aim.yaml")
    check_pages(tmp_path, bench)
