#!/usr/bin/env python3
"""Cuts the Swift samples out of the pages and compiles each of them; makes no machine code.

    check_samples.py linux MODULES       against the modules of a build (…/debug/Modules)
    check_samples.py gtk MODULES FOLDER  those for GTK 4, against the same modules and OzuGTK, which is compiled into FOLDER
    check_samples.py apple               against what `scripts/typecheck-apple` has built from stand-ins
    check_samples.py list                says which samples there are
    check_samples.py write FOLDER        writes them into a folder

ONLY=PART takes the samples alone whose place has this part. A comment before a block says what it is; the pages of PAGES must have one for each block, on others it is the reader's choice:

    <!-- sample: program -->             a whole `main.swift`
    <!-- sample: declarations -->        a whole file of a module
    <!-- sample: continued -->           goes on where the block before it ended
    <!-- sample: package -->             a whole `Package.swift`
    <!-- sample: gtk -->                 a program with GTK 4
    <!-- sample: apple -->               a file of an app for Apple platforms
    <!-- sample: given …code… -->        a program, after some lines that readers do not see
    <!-- sample: fragment gtk -->        goes on as blocks without a comment do, but with GTK 4, or with Apple's: fragment apple
    <!-- sample: refused -->             the compiler refuses each line that ends with `// says: …`, with these words, and no other
    <!-- sample: none, because … -->     is not compiled

Blocks without a comment on the pages of FRAGMENTS go on where the blocks before them ended, and may use what `prelude.swift`
beside this script declares: `url`, `pipeline`, `picture` and other names that a reader understands without a declaration.
"""

import os
import re
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

import pages
from compile_samples import c_modules, compile, gtk

# Folders and pages on which every block has to say what it is.
PAGES = ("Documentation/getting-started/", "Documentation/guides/", "Documentation/choosing-a-call.md", "Documentation/README.md")
# Pages whose other blocks are compiled as parts of one function, and against what.
FRAGMENTS = {
    "README.md": "linux", "Documentation/faq.md": "linux", "Documentation/migration/haneke.md": "linux", "Documentation/gtk.md": "gtk", "Sources/Toolkits/OzuGTK/": "gtk",
    # Their tests compile them: as programs, and against stand-ins for the types of frameworks.
    "Sources/Core/OzuCaching/": None, "Sources/Service/OzuServer/OzuServer.docc/AnImageService.md": None,
    "Sources/Service/OzuSharedStores/OzuSharedStores.docc/OtherClients.md": None,
    "Sources/Core/Ozu/Ozu.docc/ViewsOnApplePlatforms.md": "apple", "Sources/Toolkits/OzuUIKit/": "apple", "Sources/Toolkits/OzuAppKit/": "apple",
    "Sources/Toolkits/OzuSwiftUI/": "apple", "Sources/Core/Ozu/Events/SignpostObserver.swift": "apple", "Sources/": "linux",
}
# Comments whose samples are no statements.
LISTS = {"Sources/Apps/OzuDemonstration/LoopbackServer/LoopbackResponse.swift": "values of a type that the comment is about"}
KINDS = {"program", "declarations", "continued", "package", "gtk", "apple", "given", "fragment", "refused", "none"}
BLOCK = re.compile(
    r"(?:<!-- sample: (?P<kind>\w+)(?P<rest>.*?)-->\n)?(?P<fence>^```swift[^\n]*\n)(?P<code>.*?)^```", re.MULTILINE | re.DOTALL)


class Sample:
    def __init__(self, page, line, kind, code):
        self.page, self.line, self.kind, self.code = page, line, kind, code

    @property
    def name(self):
        return f"{self.page}:{self.line}"


def located(page, line, code):
    """The code with the place it comes from, so that the compiler's messages name the page."""
    return f'#sourceLocation(file: "{page}", line: {line})\n{code}#sourceLocation()\n'


def samples():
    found, problems = comments(), []
    for page in pages.documents() + pages.articles():
        text = pages.read(page)
        target = next((target for start, target in FRAGMENTS.items() if page.startswith(start)), None)
        fragments = {}
        for block in BLOCK.finditer(text):
            line = text.count("\n", 0, block.start("code")) + 1
            kind, code = block["kind"], block["code"]
            if kind is None:
                if page.startswith(PAGES):
                    problems.append(f"{page}:{line - 1}: a sample without a comment that says what it is")
                elif target:
                    fragments.setdefault(target, []).append((line, code))
                continue
            if kind not in KINDS:
                problems.append(f"{page}:{line - 1}: there is no kind of sample '{kind}'")
            elif kind == "none":
                if len(block["rest"].strip(" ,:")) < 12:
                    problems.append(f"{page}:{line - 1}: say why this sample is not compiled")
            elif kind == "continued":
                if not found or found[-1].page != page:
                    problems.append(f"{page}:{line - 1}: there is nothing that this sample continues")
                else:
                    found[-1].code += located(page, line, code)
            elif kind == "refused":
                found.append(Sample(page, line, kind, joined(page, [(line, code)], "linux")))
            elif kind == "fragment":
                fragments.setdefault(block["rest"].strip(), []).append((line, code))
            elif kind == "given":
                found.append(Sample(page, line, "program", block["rest"].lstrip("\n") + located(page, line, code)))
            else:
                # A manifest begins with the version of its tools.
                found.append(Sample(page, line, kind, code if kind == "package" else located(page, line, code)))
        for target, list in fragments.items():
            found.append(Sample(page, list[0][0], "fragments-" + target, joined(page, list, target)))
    return found, problems


def comments():
    """The samples in comments of the sources, each for itself."""
    found = []
    for file in pages.files("Sources", ends=".swift"):
        text = pages.read(file) if file not in LISTS else ""
        for block in re.finditer(r"^[ \t]*/// ```swift\n(.*?)^[ \t]*/// ```$", text, re.MULTILINE | re.DOTALL):
            line = text.count("\n", 0, block.start(1)) + 1
            code = "".join(re.sub(r"^\s*/// ?", "", row) + "\n" for row in block[1].rstrip("\n").split("\n"))
            # An ellipsis stands for code that is left out.
            code = re.sub(r"^…$", "", code, flags=re.MULTILINE).replace("{ … }", "{ fatalError() }").replace(" in … }", " in }")
            target = next(target for start, target in FRAGMENTS.items() if target and file.startswith(start))
            found.append(Sample(file, line, "fragments-" + target, joined(file, [(line, code)], target, own=True)))
    return found


def joined(page, fragments, target, own=False):
    """One file of all fragments of a page: each in a scope inside that of the one before, so that it may use and hide its names."""
    imports, outside, inside, depth = [], "", "", 0
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "prelude.swift"), encoding="utf-8") as file:
        prelude = file.read()
    for line, code in fragments:
        imports += re.findall(r"^import .*$", code, re.MULTILINE)
        code = re.sub(r"^import .*$", "", code, flags=re.MULTILINE)
        # Some declarations cannot stand inside a function, and others mean something else there.
        first = next((text for text in code.split("\n") if text and not text.startswith("//")), "")
        if own:
            for declaration in re.findall(r"^extension .*\{.*\}$", code, re.MULTILINE):
                outside += declaration + "\n"
                code = code.replace(declaration, "")
            context = "".join(part for name, part in sections(prelude) if name == page)
            inside += "do {\n" + context + "do {\n" + located(page, line, code)
            depth += 2 + context.count("{") - context.count("}")
        elif re.match(r"(extension|protocol|func|struct|enum|actor|final class|class|@main)\b", first):
            outside += located(page, line, code)
        else:
            inside += "do {\n" + located(page, line, code)
            depth += 1
    toolkit = target
    used = {"linux": ["Ozu", "OzuCodecs", "OzuStandardCodecs", "OzuHTTP", "OzuTesting", "Testing", "OzuServer", "OzuSharedStores",
                      "Synchronization", "Glibc"],
            "gtk": ["Ozu", "OzuGTK", "CGTK"], "apple": ["OzuUIKit", "OzuSwiftUI", "UIKit", "SwiftUI"]}[target]
    if target == "apple":
        toolkit, used = ("appkit", ["OzuAppKit", "AppKit"]) if page.startswith("Sources/Toolkits/OzuAppKit/") else ("uikit", used)
    lines = "\n".join(dict.fromkeys(["import Foundation"] + [f"import {name}" for name in used] + imports))
    defines = "".join(part for name, part in sections(prelude) if name in ("all", toolkit))
    return f"{lines}\n{defines}\n{outside}\n@MainActor func sample() async throws {{\n{inside}{'}' * depth}\n}}\n"


def sections(prelude):
    """The parts of the prelude: `// MARK: name` begins one."""
    parts = re.split(r"^// MARK: (\S+)\n", prelude, flags=re.MULTILINE)
    return list(zip(parts[1::2], parts[2::2]))


def vocabulary():
    """The names that the API of Ozu mentions, used by an app that imports Ozu alone."""
    file = "scripts/documentation/vocabulary.swift"
    return Sample(file, 1, "declarations", located(file, 1, pages.read(file)))


def main():
    found, problems = samples()
    arguments = sys.argv[1:]
    if arguments == ["list"]:
        for sample in found:
            print(f"{sample.kind:17}{sample.name}")
        return report(problems)
    if len(arguments) == 2 and arguments[0] == "write":
        for sample in found:
            place = os.path.join(arguments[1], re.sub(r"\W+", "-", sample.name))
            os.makedirs(place, exist_ok=True)
            with open(os.path.join(place, "main.swift"), "w", encoding="utf-8") as out:
                out.write(re.sub(r"^#sourceLocation.*\n", "", sample.code, flags=re.MULTILINE))
        return report(problems)
    if not (arguments == ["apple"] or (arguments[:1], len(arguments)) in ((["linux"], 2), (["gtk"], 3))):
        print(__doc__.strip(), file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as folder:
        kinds = {"linux": ("program", "declarations", "package", "fragments-linux", "refused"), "gtk": ("gtk", "fragments-gtk"),
                 "apple": ("apple", "fragments-apple")}[arguments[0]]
        flags = []
        if arguments[0] != "apple":
            modules = os.path.abspath(arguments[1])
            flags = ["-I", modules] + c_modules(modules)
        if arguments[0] == "gtk":
            flags = gtk(modules, os.path.abspath(arguments[2]))
        only = os.environ.get("ONLY", "")
        if arguments[0] == "linux":
            found += [vocabulary()]
        wanted = [sample for sample in found if sample.kind in kinds and only in sample.name]
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            for sample, succeeds, text in pool.map(lambda sample: compile(sample, folder, flags), wanted):
                if sample.kind == "refused":
                    problems += [f"{sample.name}: {problem}" for problem in unexpected(sample, text)]
                elif not succeeds:
                    problems.append(f"{sample.name}: this sample does not compile\n{text.strip()}")
    status = report(problems)
    if status == 0:
        print(f"check-samples: {len(wanted)} samples compile ({arguments[0]})")
    return status


def unexpected(sample, text):
    """How the compiler's answer differs from the comments of a sample that it has to refuse."""
    errors = re.findall(rf"^{re.escape(sample.page)}:(\d+):\d+: error: (.*)$", text, re.MULTILINE)
    told = {}
    start = sample.code.index(f'#sourceLocation(file: "{sample.page}", line: {sample.line})')
    for number, row in enumerate(sample.code[start:].split("#sourceLocation()")[0].split("\n")[1:], sample.line):
        if "// says: " in row:
            told[number] = row.split("// says: ")[1].strip()
    for number, words in told.items():
        if not any(int(line) == number and words in message for line, message in errors):
            said = "; ".join(message for line, message in errors if int(line) == number) or "nothing"
            yield f"line {number}: the compiler should say '{words}', and says: {said}"
    for line, message in errors:
        if int(line) not in told:
            yield f"line {line}: the compiler refuses what it should take: {message}"


def report(problems):
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
