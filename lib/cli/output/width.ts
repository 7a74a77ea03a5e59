const plain = /^[\x20-\x7e]*$/;
const none = /^[\p{Mark}\p{Default_Ignorable_Code_Point}]$/u;
const double =
  /^[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}\p{Emoji_Presentation}]$/u;

/** The columns of a terminal that a text takes: none for combining characters, two for those of East Asia and for emoji. */
export function widthOf(text: string): number {
  if (plain.test(text)) return text.length;
  let width = 0;
  for (const character of text) width += none.test(character) ? 0 : double.test(character) ? 2 : 1;
  return width;
}

/** Lines of a text, each at most so wide: broken at spaces, and within a word only where that alone is wider. */
export function wrapped(text: string, widthMax: number): readonly string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ').flatMap((one) => pieces(one, widthMax))) {
    if (line !== '' && widthOf(line) + 1 + widthOf(word) > widthMax) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line];
}

function pieces(word: string, widthMax: number): readonly string[] {
  if (widthOf(word) <= widthMax) return [word];
  const found = [''];
  for (const character of word) {
    const last = found.at(-1) ?? '';
    if (widthOf(last + character) > widthMax) found.push(character);
    else found[found.length - 1] = last + character;
  }
  return found;
}
