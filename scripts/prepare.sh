#!/bin/sh
# Makes .venv with the extra `all`, and on Debian installs the system libraries that it needs.
#     prepare.sh [test] [soak] [build]
# `test` adds what tests and screenshots on a real X server need, `soak` adds Firefox, `build` adds
# PyInstaller.
# Does nothing if everything is installed; says what is missing if it can't install it.
set -eu
cd "$(dirname "$0")/.."

# Qt's wheels include neither these libraries nor a font (see docs/explanation/choices.md).
LIBRARIES="libegl1 libgl1 libxkbcommon0 libdbus-1-3 libfontconfig1 libfreetype6 libglib2.0-0 libx11-6 libzstd1 fonts-dejavu-core"
# A virtual X server, Qt's libraries for showing windows there, and a tool that presses keys.
X_LIBRARIES="xvfb libxkbcommon-x11-0 libxcb-cursor0 libxcb-icccm4 libxcb-keysyms1 libxcb-image0 libxcb-util1 libxcb-render-util0 libxcb-randr0 libxcb-shape0 libxcb-shm0 libxcb-sync1 libxcb-xfixes0 libxcb-xkb1 libx11-xcb1 xdotool x11-xkb-utils"
# A browser for the pages, a library for Playwright, and a database server for records in
# PostgreSQL.
SERVERS="chromium-headless-shell libatomic1 postgresql"
# If the full browser is already installed, the tests use it; it is slower but works as well.
if command -v chromium >/dev/null 2>&1; then
    SERVERS="libatomic1 postgresql"
fi
# The second browser for the soak tests: 300 MB, not needed by the usual tests.
SECOND_BROWSER=firefox-esr
if command -v firefox >/dev/null 2>&1; then
    SECOND_BROWSER=
fi

extras=all
stamp=.venv/prepared
for purpose in "$@"; do
    case $purpose in
        test) LIBRARIES="$LIBRARIES $X_LIBRARIES $SERVERS" ;;
        soak) LIBRARIES="$LIBRARIES $SECOND_BROWSER" ;;
        build)
            LIBRARIES="$LIBRARIES binutils"
            extras=all,build
            stamp=.venv/prepared-build
            ;;
        *)
            echo "prepare: unknown purpose '$purpose'; choose from test, soak and build" >&2
            exit 2
            ;;
    esac
done

apt_updated=
install() {
    if ! command -v apt-get >/dev/null 2>&1; then
        echo "prepare: this is not Debian; install the packages that match these: $*" >&2
        return 0
    fi
    if [ "$(id -u)" -ne 0 ]; then
        echo "prepare: not root; run first: sudo apt-get install $*" >&2
        return 0
    fi
    if [ -z "$apt_updated" ]; then
        apt_get update
        apt_updated=yes
    fi
    apt_get -y install --no-install-recommends "$@"
}

# Runs apt-get; waits while another program holds one of its locks: up to ten minutes each for
# dpkg's lock, by apt's own timeout, and for those of the lists and archives, which fail at once.
apt_get() {
    waited=0
    until said=$(LC_ALL=C DEBIAN_FRONTEND=noninteractive \
        apt-get -qq -o DPkg::Lock::Timeout=600 "$@" 2>&1); do
        case $said in
            *"Could not get lock"* | *"Unable to lock"*) ;;
            *) waited=600 ;;
        esac
        if [ "$waited" -ge 600 ]; then
            echo "$said" >&2
            return 1
        fi
        [ "$waited" -gt 0 ] || echo "prepare: waiting for another program that installs packages"
        sleep 2
        waited=$((waited + 2))
    done
}

missing=
if command -v dpkg-query >/dev/null 2>&1; then
    for library in $LIBRARIES; do
        dpkg-query -W -f='${Status}' "$library" 2>/dev/null | grep -q '^install ok installed$' \
            || missing="$missing $library"
    done
fi
# shellcheck disable=SC2086 -- a list of names
[ -z "$missing" ] || install $missing

python=
for candidate in ${PYTHON:-} python3.11 python3.12 python3.13 python3; do
    if command -v "$candidate" >/dev/null 2>&1 \
        && "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
        python=$candidate
        break
    fi
done
if [ -z "$python" ]; then
    echo "prepare: no Python 3.11 or later found; install one, or use: make PYTHON=/path/to/python3.11 …" >&2
    exit 2
fi

if [ ! -f "$stamp" ] || [ setup.cfg -nt "$stamp" ] || [ pyproject.toml -nt "$stamp" ] \
    || ! .venv/bin/python -c '' 2>/dev/null; then
    if [ ! -x .venv/bin/python ] || ! .venv/bin/python -m pip --version >/dev/null 2>&1; then
        rm -rf .venv
        # Debian has ensurepip in a separate package.
        "$python" -c 'import ensurepip, venv' 2>/dev/null \
            || install "python$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')-venv"
        "$python" -m venv .venv
    fi
    echo "prepare: installing the project's requirements into .venv (once)"
    .venv/bin/python -m pip install --quiet --disable-pip-version-check --use-pep517 -e ".[$extras]"
    touch .venv/prepared "$stamp"
fi
