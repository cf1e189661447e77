import { type FlowName, type FlowRate, type FlowRates, service } from './flow-rates';
import { mostInFlight } from './plan';
import { whole } from './report';

const width = 800;
const bar = { left: 150, most: 380, height: 22, gap: 8 };
const titleHeight = 34;

/** Of the flows that are drawn. */
const titles: Readonly<Partial<Record<FlowName, string>>> = {
  issuing: 'Credentials issued',
  verifying: 'Presentations verified',
};

/** Horizontal bars of flows per second, by flow and server, as an SVG document for light and dark pages. */
export function renderChart({ rates }: FlowRates): string {
  const shown = rates.filter(({ flow, inFlight }) => inFlight === mostInFlight && titles[flow] !== undefined);
  let top = 10;
  const panels = shown.map((rate) => {
    const panel = renderPanel(rate, top);
    top += titleHeight + rate.measured.size * (bar.height + bar.gap) + 12;
    return panel;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${top}" width="${width}" height="${top}" role="img">
<title>Flows per second, ${mostInFlight} in flight</title>
<style>
  text { font: 13px system-ui, sans-serif; fill: #24292f; }
  .title { font-weight: 600; }
  .note { fill: #57606a; }
  rect { fill: #8c959f; }
  .own { fill: #0969da; }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3; }
    .note { fill: #9198a1; }
    rect { fill: #656c76; }
    .own { fill: #4493f8; }
  }
</style>
${panels.join('\n')}
</svg>
`;
}

function renderPanel({ flow, inFlight, measured }: FlowRate, top: number): string {
  const most = Math.max(...[...measured.values()].map(({ perSecond }) => perSecond));
  const bars = [...measured].map(([name, { perSecond, cpu }], index) => {
    const y = top + titleHeight + index * (bar.height + bar.gap);
    const length = Math.round((bar.most * perSecond) / most);
    const middle = y + bar.height / 2 + 5;
    const [own = '', database] = [cpu['service'], cpu['postgres']].map((one) => one && (one / 1000).toFixed(2));
    const cost = database === undefined ? `${own} ms CPU, in memory` : `${own} + ${database} ms CPU`;
    return `<text x="${bar.left - 10}" y="${middle}" text-anchor="end">${name}</text>
<rect${name === service ? ' class="own"' : ''} x="${bar.left}" y="${y}" width="${length}" height="${bar.height}" rx="2"/>
<text x="${bar.left + length + 8}" y="${middle}">${whole(perSecond)} <tspan class="note">(${cost})</tspan></text>`;
  });
  const what = titles[flow] ?? flow;
  return `<text class="title" x="10" y="${top + 18}">${what} per second, ${inFlight} in flight</text>\n${bars.join('\n')}`;
}
