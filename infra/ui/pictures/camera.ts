import { writeFile } from 'node:fs/promises';
import { type Browser, chromium, type Page } from 'playwright-core';

export type Colours = 'light' | 'dark';

/** Pixels. */
const size = { width: 1440, height: 900 };
const waitMsMax = 60_000;
/** Of a picture, in bytes. */
const bytesMax = 150 * 1024;
const qualities = [90, 80, 70, 55] as const;

export const openBrowser = (path: string): Promise<Browser> =>
  chromium.launch({ executablePath: path, args: ['--no-sandbox'] });

/** A page of a caller who has logged in with a token. */
export async function openPage(browser: Browser, address: string, token: string, colours: Colours): Promise<Page> {
  const context = await browser.newContext({ colorScheme: colours, viewport: size, reducedMotion: 'reduce' });
  const page = await context.newPage();
  page.setDefaultTimeout(waitMsMax);
  await page.goto(`${address}/ui/`);
  await page.getByLabel('Log in with').selectOption('Token');
  await page.getByLabel('Token (required)').fill(token);
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.getByRole('navigation', { name: 'Pages' }).waitFor();
  return page;
}

/** Takes the view as WebP, in the best quality that keeps the file small. @throws Error when no quality does */
export async function take(page: Page, file: string): Promise<number> {
  await page.mouse.move(0, 0);
  const session = await page.context().newCDPSession(page);
  for (const quality of qualities) {
    const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality });
    const bytes = Buffer.from(data, 'base64');
    if (bytes.length > bytesMax) continue;
    await writeFile(file, bytes);
    await session.detach();
    return bytes.length;
  }
  throw new Error(`${file}: the picture has more than ${bytesMax} bytes in any quality`);
}
