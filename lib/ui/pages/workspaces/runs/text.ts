/** Characters that the page keeps: the end of a log is what matters. */
const charactersMax = 400_000;

/** Colours and marks of terminals. */
const marks = /\u001b\[[0-9;?]*[A-Za-z]|[\u0000-\u0008\u000b-\u001f\u007f]/g;

/** The text with the next piece: the end is kept, without the marks of terminals. */
export function appended(text: string, piece: string): { readonly text: string; readonly isCut: boolean } {
  const whole = text + piece.replaceAll('\r\n', '\n').replaceAll(marks, '');
  if (whole.length <= charactersMax) return { text: whole, isCut: false };
  const rest = whole.slice(-charactersMax);
  return { text: rest.slice(rest.indexOf('\n') + 1), isCut: true };
}
