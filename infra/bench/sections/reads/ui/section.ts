import { loadavg } from 'node:os';
import type { Figure } from '#infra/bench/measure/figure.ts';
import { addressed } from '#infra/bench/measure/http-load.ts';
import type { Section } from '#infra/bench/section.ts';
import { buildPage } from '#infra/ui/build.ts';
import { findChromium } from '#infra/ui/chromium.ts';
import { destinationOf, fillRecords } from '../fill.ts';
import { paints } from './paint.ts';
import { changes, openPages } from './polling.ts';
import { table } from './table.ts';
import { openBrowser, openVisit } from './visit.ts';

/** The web page in Chromium, with the records of `--records`. */
export const uiSection: Section = {
  name: 'ui',
  title: 'The web page in a browser of this machine (--records <n>)',
  async measure(bench) {
    const { stage, quick, records, report, note } = bench;
    const found = findChromium();
    if ('problem' in found) {
      note(`not measured: ${found.problem}`);
      return [];
    }
    await buildPage();
    const { rowCount } = await stage.database.query('select 1 from destinations where name = $1', [destinationOf(0)]);
    if (rowCount === 0) await fillRecords(stage, records, report);
    const api = await stage.start('api', addressed);
    const browser = await openBrowser(found.path);
    try {
      const { address } = api.ready;
      const visit = await openVisit(browser, address, stage.rootToken);
      const figures: Figure[] = [];
      report('paints');
      figures.push(...(await paints(visit, address, quick ? 2 : 5)));
      report('the table');
      figures.push(...(await table(bench, visit, address)));
      report('changes');
      figures.push(await changes(bench, visit, api));
      await visit.close();
      report('open pages');
      figures.push(...(await openPages(bench, browser, api)));
      note(`load of the machine at the end: ${loadavg()[0]?.toFixed(1)}; browser and service share its processors`);
      return figures;
    } finally {
      await browser.close();
      await api.end();
    }
  },
};
