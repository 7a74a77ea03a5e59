const minutesMax = 1_440;

/** How long to use it; ends the program with 2 for what is no such number. */
export function minutesOf(text: string): number {
  const minutes = Number(text);
  if (Number.isInteger(minutes) && minutes >= 1 && minutes <= minutesMax) return minutes;
  process.stderr.write(`bench: --minutes has to be a whole number from 1 to ${minutesMax}\n`);
  process.exit(2);
}
