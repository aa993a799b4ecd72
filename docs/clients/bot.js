// An entry for the Loebner Prize in plain JavaScript, which echoes: node bot.js [DIRECTORY]
'use strict';
const fs = require('fs');
const { spawnSync } = require('child_process');

const CHARS = '{}[](),.><\\/|"\'=_+-!@#$%*^~`&:;? \t\n\b';
const NAMES = `braceleft braceright bracketleft bracketright parenleft parenright comma period
greater less backslash slash bar quotedbl quoteright equal underscore plus minus exclam at
numbersign dollar percent asterisk asciicircum asciitilde quoteleft ampersand colon semicolon
question space Tab Return BackSpace`.split(/\s/);
const nameOf = new Map(NAMES.map((name, index) => [CHARS[index], name]));
const charOf = new Map(NAMES.map((name, index) => [name, CHARS[index]]));
charOf.set('apostrophe', "'").set('grave', '`');
const MEMORY = `${__filename}.numbers`; // not in the directory, which may be emptied

function reply(line) {
  return line; // your bot goes here
}

function browse() {
  const folders = 'Add-Type -AssemblyName System.Windows.Forms; ' +
    '$d = New-Object Windows.Forms.FolderBrowserDialog; [void]$d.ShowDialog(); $d.SelectedPath';
  const [program, ...args] = {
    win32: ['powershell', '-STA', '-Command', folders],
    darwin: ['osascript', '-e', 'POSIX path of (choose folder)'],
  }[process.platform] || ['zenity', '--file-selection', '--directory'];
  const chosen = (spawnSync(program, args, { encoding: 'utf8' }).stdout || '').trim();
  return chosen || (console.error('no directory was chosen'), process.exit(2));
}

// The key presses in the directory, in order: by number, then by name.
function listed(extension) {
  const form = new RegExp(`^([0-9]{1,40})\\.(.*)\\.${extension}$`, 'is');
  let found = [];
  try { found = fs.readdirSync(directory); } catch { /* the directory is missing for a moment */ }
  found = [...new Set(found)].map((name) => form.exec(name)).filter((match) => match);
  return found.map(([name, digits, key]) => ({ name, key, number: BigInt(digits) }))
    .sort((a, b) => (a.number < b.number || (a.number === b.number && a.name < b.name) ? -1 : 1));
}

function press(char) {
  for (;; sleep(20)) {
    number += 1n;
    if (number > claimed) { // reserve a thousand numbers before they are used
      const ends = fs.readFileSync(MEMORY, 'utf8').split('\n').map(BigInt);
      number = ends.reduce((highest, end) => (end >= highest ? end + 1n : highest), number);
      claimed = number + 999n;
      fs.appendFileSync(MEMORY, `${claimed}\n`);
    }
    const name = `${String(number).padStart(10, '0')}.${nameOf.get(char) || char}.other`;
    try { return fs.mkdirSync(`${directory}/${name}`); } catch { /* taken, disk full: try again */ }
  }
}

const sleep = (ms) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
fs.appendFileSync(MEMORY, ''); // if it can't be written, fail now rather than in the contest
const directory = process.argv[2] || browse();
console.log('listening in', directory);
let number = listed('other').filter((each) => each.number < 10n ** 10n).at(-1)?.number || 0n;
let [claimed, line, lastKey, taken] = [0n, [], 0, new Set()];
function look() {
  let chars = [];
  const top = listed('judge').at(-1)?.number;
  // A listing can show a key and miss an older one. A second listing has all keys up to that one.
  for (const { name, key } of listed('judge').filter((each) => each.number <= top)) {
    if (!taken.has(name)) chars.push(charOf.get(key) || ([...key].length === 1 ? key : ''));
    // Try again in the next pass if it can't be removed yet, but count it once.
    try { fs.rmdirSync(`${directory}/${name}`); taken.delete(name); } catch { taken.add(name); }
  }
  if (chars.length) lastKey = Date.now();
  else if (line.length && Date.now() - lastKey > 4000) chars = ['\n']; // no Return
  for (const char of chars) {
    const said = line.join('');
    if (char === '\n' && said.trim()) for (const each of `${reply(said)}\n`) press(each);
    line = char === '\n' ? [] : char === '\b' ? line.slice(0, -1) : [...line, ...char];
  }
}
setInterval(look, 20); // for drives without notifications; elsewhere fs.watch reports a key at once
try { fs.watch(directory, (_, name) => /other$/.test(name) || look()).on('error', look); } catch {}
