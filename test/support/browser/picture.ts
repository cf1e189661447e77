import { writeFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';

/** Longer pages are cut: a picture shows what a page is like. CSS pixels. */
const width = 1120;
const tallest = 1000;

/** Keeps a picture of a page for a guide: light, and small. */
export async function pictureOf(page: Page, path: string): Promise<void> {
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
  await page.setViewportSize({ width, height: 640 });
  await page.evaluate('scrollTo(0, 0)');
  const whole = await page.evaluate<number>('document.documentElement.scrollHeight');
  const session = await page.context().newCDPSession(page);
  const { data } = await session.send('Page.captureScreenshot', {
    ...{ format: 'webp', quality: 60, captureBeyondViewport: true },
    clip: { x: 0, y: 0, width, height: Math.min(whole, tallest), scale: 1 },
  });
  await session.detach();
  await writeFile(path, Buffer.from(data, 'base64'));
}
