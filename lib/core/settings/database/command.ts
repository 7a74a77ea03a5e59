import { z } from 'zod';

const words = z.array(z.string().refine((word) => !word.includes('\0'))).min(1);

/**
 * The words of a command that runs without a shell: a JSON array, or unquoted words separated by spaces. Undefined when the text
 * is neither.
 */
export function parseCommand(text: string): readonly string[] | undefined {
  const plain = text.trim();
  if (!plain.startsWith('[')) return /["'\\`$|&;<>]/.test(plain) || plain === '' ? undefined : plain.split(/\s+/);
  try {
    const { success, data } = words.safeParse(JSON.parse(plain));
    return success && data[0] !== '' ? data : undefined;
  } catch {
    return undefined;
  }
}
