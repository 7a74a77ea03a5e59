import type { Page } from 'playwright-core';

/** Unfolds all groups of a generated form. */
export async function unfold(page: Page): Promise<void> {
  const folded = page.locator('details:not([open]) > summary');
  while ((await folded.count()) > 0) await folded.first().click();
}

/** Types into a combobox, and takes the option by its key once it is there. */
export async function choose(page: Page, label: string, option: string): Promise<void> {
  await page.getByRole('combobox', { name: label, exact: true }).fill(option);
  await page.getByRole('option', { name: option, selected: true }).waitFor();
  await page.keyboard.press('Enter');
}

/** Fills the fields of a generated form that have a value. */
export async function fillAll(
  page: Page,
  fields: readonly { readonly name: string; readonly label: string }[],
  values: Readonly<Record<string, unknown>>,
): Promise<void> {
  for (const { name, label } of fields) {
    const value = values[name];
    if (value === undefined) continue;
    const control = page.getByLabel(label, { exact: true }).or(page.getByLabel(`${label} (required)`, { exact: true }));
    if (typeof value === 'boolean') await page.getByLabel(label).first().setChecked(value);
    else if ((await control.first().evaluate((one) => one.tagName)) === 'SELECT')
      await control.first().selectOption(String(value));
    else await control.first().fill(typed(value));
  }
}

const typed = (value: unknown): string => {
  if (Array.isArray(value)) return value.join('\n');
  if (typeof value !== 'object' || value === null) return String(value);
  return Object.entries(value)
    .map(([key, one]) => `${key}=${String(one)}`)
    .join('\n');
};
