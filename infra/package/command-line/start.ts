import { statSync } from 'node:fs';
import module from 'node:module';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';

/**
 * The first file of the packed program. Compiling the program takes a third as long as Node's own start, so what was compiled is kept in the
 * cache of the user: not in the common folder for temporary files, and not in a folder of someone else (as with `sudo -E`), who
 * could place code there. Where that cannot be written, or before Node 22.1, the program is compiled each time.
 */
const given = process.env['XDG_CACHE_HOME'] ?? '';
const [owned, folder] = isAbsolute(given) ? [given, given] : [homedir(), join(homedir(), '.cache')];
const isOurs = statSync(owned, { throwIfNoEntry: false })?.uid === (process.getuid?.() ?? 0);
if (isOurs) module.enableCompileCache?.(join(folder, 'keyferry'));

void import('../../commands/keyferry.ts');
