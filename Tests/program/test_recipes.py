"""The GitHub Action and the GitLab template, which build the wheel that `make dist` has made.

This stands in for the services: it evaluates the conditions and expressions of action.yml, runs its
shell steps, and replaces the actions that it uses with ones that work on folders. `make` is
replaced with a program that copies the wheel.
"""
import json
import os
import pathlib
import re
import shutil
import sys

import pytest
import yaml
from running import ROOT, Failed, require, run

pytestmark = [pytest.mark.linux, pytest.mark.needs("shellcheck", "git")]
GITLAB = ROOT / "examples/ci/gitlab/sentrybench.yml"
PASSES = """\
name: aims
send: [[1.5, "X110."]]
expect:
  - {servo: 110, within: 50ms, of: "X110."}
"""


class Job:
    """A job with its own folder. The wheels that it saves are kept in a cache next to that."""

    def __init__(self, folder, wheel, scenario):
        self.folder = folder
        self.project = folder / "project"
        self.project.mkdir(parents=True)
        (self.project / "scenarios").mkdir()
        (self.project / "scenarios/aims.yaml").write_text(scenario)
        tools = folder / "tools"
        tools.mkdir()
        make = tools / "make"
        make.write_text(
            "#!/bin/sh\n"
            'for word in "$@"; do case $word in DIST=*) place=${word#DIST=};; esac; done\n'
            f'mkdir -p "$place" && cp "{wheel}" "$place" && echo built >>"{folder}/built"\n')
        make.chmod(0o755)
        self.environment = {
            key: os.environ[key] for key in ("HOME", "LANG", "TERM") if key in os.environ}
        self.environment["PATH"] = f"{tools}:{os.environ['PATH']}"

    def was_built(self):
        return (self.folder / "built").exists()

    def shell(self, command, script, environment):
        done = run(*command, script, cwd=self.project, env={**self.environment, **environment},
                   statuses=range(256))
        self.output = done.stdout + done.stderr
        return done.returncode


class GitHub(Job):
    """Runs action.yml as GitHub does."""

    def __init__(self, folder, built, cache, scenario=PASSES, **inputs):
        super().__init__(folder, built, scenario)
        self.action = yaml.safe_load((ROOT / "action.yml").read_text())
        self.cache = cache
        unknown = inputs.keys() - self.action["inputs"].keys()
        require(not unknown, f"the action has no input {unknown}")
        self.inputs = {name: str(inputs.get(name, value.get("default", "")))
                       for name, value in self.action["inputs"].items()}
        self.steps = {}
        self.failed = False
        self.uploaded = None
        self.summary = folder / "summary"

    def value(self, expression):
        """The value of an expression: names, texts, ==, !=, &&, || and always()."""
        text = expression.strip()
        names = {}

        def name(match):
            key = f"v{len(names)}"
            names[key] = self.lookup(match[0])
            return key

        pieces = re.split(r"('[^']*')", text)
        for index in range(0, len(pieces), 2):
            piece = re.sub(r"\b(?:inputs|steps)\.[\w.-]+", name, pieces[index])
            piece = piece.replace("always()", "True")
            pieces[index] = piece.replace("&&", " and ").replace("||", " or ")
        return eval("".join(pieces), {"__builtins__": {}}, names)

    def lookup(self, path):
        parts = path.split(".")
        if parts[0] == "inputs":
            require(parts[1] in self.inputs, f"action.yml: {path} is not an input")
            return self.inputs[parts[1]]
        identities = [step.get("id") for step in self.action["runs"]["steps"]]
        require(parts[1] in identities, f"action.yml: {path}: no step has that id")
        step = self.steps.get(parts[1], {"outcome": "skipped"})
        return step.get(parts[-1], "")

    def filled(self, text):
        return re.sub(r"\$\{\{(.*?)\}\}", lambda match: str(self.value(match[1])), str(text))

    def run(self):
        for step in self.action["runs"]["steps"]:
            condition = step.get("if", "")
            if condition and not self.value(condition):
                continue
            if self.failed and "always()" not in condition:
                continue
            outputs = {"outcome": "success"}
            if "run" in step:
                if self.shell_step(step, outputs) != 0:
                    outputs["outcome"] = "failure"
                    self.failed = True
            else:
                self.uses(step["uses"], {k: self.filled(v) for k, v in step["with"].items()},
                          outputs)
            if "id" in step:
                self.steps[step["id"]] = outputs
        self.outputs = {name: self.filled(output["value"])
                        for name, output in self.action["outputs"].items()}
        return self

    def shell_step(self, step, outputs):
        require("${{" not in step["run"], "action.yml: a script contains an expression")
        output, path = self.folder / "output", self.folder / "path"
        output.write_text("")
        path.touch()
        environment = {key: self.filled(text) for key, text in step.get("env", {}).items()}
        environment |= {
            "GITHUB_ACTION_PATH": str(ROOT), "GITHUB_OUTPUT": str(output),
            "GITHUB_PATH": str(path), "GITHUB_STEP_SUMMARY": str(self.summary),
            "RUNNER_TEMP": str(self.folder / "temp")}
        status = self.shell(["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c"],
                            step["run"], environment)
        self.said = getattr(self, "said", "") + self.output
        outputs |= dict(line.split("=", 1) for line in output.read_text().splitlines())
        return status

    def uses(self, action, options, outputs):
        if action == "actions/cache/restore@v4":
            saved = self.cache / options["key"]
            if saved.exists():
                shutil.copytree(saved, options["path"], dirs_exist_ok=True)
                outputs["cache-hit"] = "true"
        elif action == "actions/cache/save@v4":
            shutil.copytree(options["path"], self.cache / options["key"])
        elif action == "actions/upload-artifact@v4":
            self.uploaded = sorted(str(path.relative_to(options["path"]))
                                   for path in pathlib.Path(options["path"]).rglob("*"))
            outputs["artifact-url"] = f"https://example.org/{options['name']}"
        else:
            raise Failed(f"action.yml uses {action}, which this check does not replace")


def test_the_action_builds_caches_runs_and_reports(wheel, tmp_path):
    folder = tmp_path
    cache = folder / "cache"
    cache.mkdir()
    number = 0

    def job(**options):
        nonlocal number
        number += 1
        return GitHub(folder / f"github-{number}", wheel, cache, **options).run()

    broken = PASSES.replace("servo: 110", "servo: 111")
    first = job(scenario=broken, jobs=2, args="--repeat 2")
    require(first.was_built(), "without a cache, the wheel is built\n" + first.output)
    require(first.failed, "a scenario that fails must fail the job\n" + first.output)
    require(first.uploaded and "report.xml" in first.uploaded,
            f"the report of a job that fails is not uploaded: {first.uploaded}\n{first.output}")
    require(any("picture" in name or name.endswith(".svg") for name in first.uploaded),
            f"the picture of a scenario that fails is not uploaded: {first.uploaded}")
    require("report.html" in first.uploaded, f"no HTML report is uploaded: {first.uploaded}")
    line = "::error file=scenarios/aims.yaml,line=4,col=5,title=aims::servo 111 within 50 ms"
    require(first.said.count(line) == 1, f"each failure is shown at its line once\n{first.said}")
    summary = first.summary.read_text()
    require("scenarios/aims.yaml:4" in summary and "https://example.org/sentrybench" in summary,
            f"the summary of the job: {summary}")
    second = job()
    require(not second.failed, second.output)
    require(not second.was_built(), "with a cache, the wheel is not built again")
    require([name for name in second.uploaded if name != "failed"] == ["report.html", "report.xml"],
            f"uploaded although all scenarios pass: {second.uploaded}")
    require("1 scenario passes" in second.summary.read_text(), second.summary.read_text())
    for name in "report", "page":
        require(os.path.exists(second.outputs[name]), f"outputs: {second.outputs}")
    given = job(wheel=wheel, path="")
    require(not given.failed and not given.was_built(), given.output)
    require(given.uploaded is None, "a job that only installs uploads nothing")
    place = pathlib.Path((given.folder / "path").read_text().strip())
    run(place / "sentrybench", "--version")
    strange = job(wheel=wheel, path="a b; exit 0; $(exit 0)", jobs=1)
    require(strange.failed, "the name of a folder is not a command")
    require("a b; exit 0; $(exit 0)" in strange.said, strange.said)


class GitLab(Job):
    """Runs the template's job as GitLab does, with a repository of this project's tools."""

    def __init__(self, folder, wheel, repository, cache, scenario=PASSES, **variables):
        super().__init__(folder, wheel, scenario)
        self.template = yaml.safe_load(GITLAB.read_text())[".sentrybench"]
        self.variables = {**self.template["variables"], **variables,
                          "SENTRYBENCH_SOURCE": f"file://{repository}"}
        self.cache = cache

    def run(self):
        kept = self.project / ".sentrybench"
        if self.cache.exists():
            shutil.copytree(self.cache, kept)
        script = "\n".join([*self.template["before_script"], *self.template["script"]])
        self.status = self.shell(["sh", "-ec"], script, self.variables)
        if kept.exists():
            shutil.rmtree(self.cache, ignore_errors=True)
            shutil.copytree(kept, self.cache)
        return self


def test_the_template_builds_caches_runs_and_reports(wheel, tmp_path):
    folder = tmp_path
    repository = folder / "repository"
    for part in ("packaging", ".ci"):
        shutil.copytree(ROOT / part, repository / part)
    git = ["git", "-C", repository, "-c", "user.name=a", "-c", "user.email=a@b.invalid"]
    for words in (["init", "-q", "-b", "main"], ["add", "."], ["commit", "-q", "-m", "a copy"]):
        run(*git, *words)
    cache = folder / "gitlab-cache"
    broken = PASSES.replace("servo: 110", "servo: 111")
    first = GitLab(folder / "gitlab-1", wheel, repository, cache, scenario=broken).run()
    require(first.was_built() and first.status == 1, first.output)
    for name in ("report.xml", "report.html", "quality.json", "failed"):
        require((first.project / name).exists(), f"{name} does not exist\n{first.output}")
    [failure] = json.loads((first.project / "quality.json").read_text())
    require(failure["location"] == {"path": "scenarios/aims.yaml", "lines": {"begin": 4}}
            and failure["description"].startswith("aims: servo 111 within 50 ms"), str(failure))
    second = GitLab(folder / "gitlab-2", wheel, repository, cache,
                    SENTRYBENCH_ARGS="--repeat 2").run()
    require(not second.was_built() and second.status == 0, second.output)
    lost = GitLab(folder / "gitlab-3", wheel, repository, cache, SENTRYBENCH_REF="none").run()
    require(lost.status == 1 and "no branch or tag none" in lost.output, lost.output)


@pytest.mark.parametrize("schema, file", [("github-actions", ROOT / "action.yml"),
                                          ("gitlab-ci", GITLAB)])
def test_the_file_has_the_form_that_its_service_expects(schema, file):
    run(sys.executable, "-m", "check_jsonschema", "-q", "--builtin-schema", f"vendor.{schema}",
        file)


def test_the_scripts_are_sound_and_the_actions_are_pinned_by_their_versions(tmp_path):
    action = yaml.safe_load((ROOT / "action.yml").read_text())
    for step in action["runs"]["steps"]:
        if "uses" in step:
            require(re.fullmatch(r"actions/[\w/-]+@v\d+", step["uses"]), step["uses"])
    template = yaml.safe_load(GITLAB.read_text())[".sentrybench"]
    scripts = [("bash", step["run"]) for step in action["runs"]["steps"] if "run" in step]
    scripts.append(("sh", "\n".join([*template["before_script"], *template["script"]])))
    for number, (shell, script) in enumerate(scripts):
        file = tmp_path / f"script-{number}"
        # SC2086: $pip is a command with its arguments.
        file.write_text(script)
        run("shellcheck", f"--shell={shell}", "--exclude=SC2012,SC2086", file)


@pytest.mark.parametrize("service, schema, file, options", [
    ("github", "github-workflows", ".github/workflows/sentrybench.yml", []),
    ("gitlab", "gitlab-ci", ".gitlab/sentrybench.yml", ["--data-transform", "gitlab-ci"])])
def test_the_job_that_init_writes_has_the_form_that_its_service_expects(
        bench, tmp_path, service, schema, file, options):
    run(bench, "init", "it's new", "--ci", service, "--pytest", cwd=tmp_path)
    run(sys.executable, "-m", "check_jsonschema", "-q", "--builtin-schema", f"vendor.{schema}",
        *options, tmp_path / file)


@pytest.mark.parametrize("choice", [
    [], ["--firmware", "buzzer"], ["--firmware", "guarded"],
    ["--device", f"avr:{ROOT}/firmware/classic/classic.hex"]], ids=" ".join)
def test_what_init_writes_passes(bench, tmp_path, choice):
    run(bench, "init", *choice, "--ci", "none", "--pytest", cwd=tmp_path)
    said = run(bench, "test", "scenarios", cwd=tmp_path).stdout
    require(said.startswith("3 scenarios pass"), said)
    run(sys.executable, "-m", "pytest", "-q", "-p", "sentrybench.pytest_plugin", "scenarios",
        cwd=tmp_path, env={**os.environ, "SENTRYBENCH": bench,
                           "PYTHONPATH": str(ROOT / "python/src")})
