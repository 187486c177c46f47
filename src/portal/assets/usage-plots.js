// Draws the charts of the usage page from its table. Without scripts, the table shows the same data.

const section = document.querySelector('.charts');
const { default: uPlot } = await import(section.dataset.uplot);
const { stepsBetween, columnOf, stackOf, rangeOf } = await import(section.dataset.plotSeries);
const step = Number(section.dataset.step);
const from = Number(section.dataset.from);
const to = Number(section.dataset.to);
const rows = new Map([...section.querySelectorAll('tr[data-at]')].map((row) => [Number(row.dataset.at), row]));
const instants = stepsBetween(from, to, step);
const dark = matchMedia('(prefers-color-scheme: dark)');
const utc = (options) => new Intl.DateTimeFormat('en-GB', { timeZone: 'UTC', ...options });
const moment = utc({ weekday: 'short', hour: '2-digit', minute: '2-digit' });
const clock = utc({ hour: '2-digit', minute: '2-digit' });
const day = utc({ weekday: 'short', day: 'numeric' });

const color = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

const heads = [...section.querySelectorAll('thead th')].map((head) => head.textContent);

/** Values of a table column, as shown; `empty` if there is no row or value. */
function column(head, empty) {
  const place = heads.indexOf(head);
  return columnOf(instants, (at) => rows.get(at)?.children[place]?.textContent.replace(/[^\d.]/g, ''), empty);
}

/** A color with its own pattern, so that kinds are distinguishable without color. */
function fill(kind) {
  const tile = document.createElement('canvas');
  tile.width = 8;
  tile.height = 8;
  const context = tile.getContext('2d');
  context.fillStyle = color(`--kind-${kind}`);
  context.fillRect(0, 0, 8, 8);
  context.strokeStyle = color('--ground');
  context.lineWidth = 1.5;
  context.beginPath();
  if (kind === 'partial' || kind === 'failed') {
    context.moveTo(-2, 10);
    context.lineTo(10, -2);
  }
  if (kind === 'failed') {
    context.moveTo(-2, -2);
    context.lineTo(10, 10);
  }
  if (kind === 'limited') {
    context.moveTo(4, 0);
    context.lineTo(4, 8);
  }
  if (kind === 'refused') {
    context.moveTo(0, 4);
    context.lineTo(8, 4);
  }
  context.stroke();
  return context.createPattern(tile, 'repeat');
}

/** Fills the legend swatches with the patterns of the chart. */
function paintSwatches() {
  for (const swatch of section.querySelectorAll('.swatch')) {
    const kind = swatch.classList[1];
    let canvas = swatch.parentElement.querySelector('canvas');
    if (!canvas) {
      canvas = document.createElement('canvas');
      canvas.width = 28;
      canvas.height = 28;
      canvas.style.width = '14px';
      canvas.style.height = '14px';
      canvas.setAttribute('aria-hidden', 'true');
      swatch.before(canvas);
      swatch.style.display = 'none';
    }
    const context = canvas.getContext('2d');
    context.fillStyle = fill(kind);
    context.fillRect(0, 0, 28, 28);
  }
}

function axes(title, unit) {
  const stroke = color('--quiet');
  const grid = { stroke: color('--line'), width: 1 };
  const font = '12px system-ui, sans-serif';
  const labels = { labelFont: font, labelSize: 18, labelGap: 2 };
  return [
    {
      stroke,
      grid,
      font,
      ...labels,
      label: 'Time (UTC)',
      ticks: { show: false },
      size: 28,
      values: (_chart, splits) => splits.map(instant),
    },
    {
      stroke,
      grid,
      font,
      ...labels,
      label: title,
      ticks: { show: false },
      size: 62,
      values: (_chart, values) => values.map((value) => `${value.toLocaleString('en')}${unit}`),
    },
  ];
}

/** Formats an instant on the axis; midnight as a date. */
function instant(seconds) {
  return (seconds % 86_400 === 0 ? day : clock).format(seconds * 1000);
}

function draw(figure) {
  const names = figure.dataset.heads.split(',');
  const kinds = section.dataset.kinds.split(' ');
  const isStack = figure.dataset.chart === 'stack';
  const unit = figure.dataset.unit ? ` ${figure.dataset.unit}` : '';
  const values = names.map((name) => column(name, isStack ? 0 : null));
  const readout =
    figure.querySelector('.readout') ?? figure.querySelector('figcaption').appendChild(document.createElement('span'));
  readout.className = 'readout';
  const updateReadout = ({ cursor: { idx } }) => {
    if (idx === null || idx === undefined) readout.textContent = '';
    else
      readout.textContent = `${moment.format(instants[idx] * 1000)}: ${names.map((name, index) => said(name, values[index][idx], unit, isStack)).join(', ')}`;
  };
  const drawn = isStack ? stackOf(values) : values;
  const order = isStack ? names.toReversed() : names;
  const series = order.map((name) =>
    isStack
      ? {
          fill: () => fill(kinds[names.indexOf(name)]),
          stroke: 'transparent',
          width: 0,
          points: { show: false },
          paths: uPlot.paths.bars({ size: [0.86, 48], align: 1 }),
        }
      : {
          stroke: color('--accent'),
          width: 2,
          points: { show: true, size: 5, fill: color('--accent') },
          spanGaps: false,
        },
  );
  const options = {
    width: figure.clientWidth,
    height: isStack ? 260 : 180,
    legend: { show: false },
    cursor: { y: false, points: { show: !isStack }, drag: { x: false } },
    tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), 'UTC'),
    scales: {
      x: { range: () => [from, to] },
      y: { range: (_chart, _least, most) => rangeOf(most, isStack) },
    },
    axes: axes(figure.dataset.axis, unit),
    series: [{}, ...series],
    hooks: { setCursor: [updateReadout] },
  };
  figure.classList.add('drawn');
  options.width = figure.clientWidth;
  const chart = new uPlot(options, [instants, ...drawn], figure);
  chart.root.setAttribute('role', 'img');
  chart.root.setAttribute(
    'aria-label',
    `${figure.querySelector('figcaption').firstChild.textContent}; see the table below for the numbers.`,
  );
  return chart;
}

function said(name, value, unit, isStack) {
  if (value === null) return 'no calls';
  const text = value.toLocaleString('en', { maximumFractionDigits: 1 });
  return isStack ? `${text} ${name}` : `${text}${unit}`;
}

let charts = [];
function drawAll() {
  for (const chart of charts) chart.destroy();
  paintSwatches();
  charts = [...section.querySelectorAll('figure[data-chart]')].map(draw);
}
drawAll();
section.querySelector('details').open = false;
dark.addEventListener('change', drawAll);
new ResizeObserver(() => {
  for (const chart of charts) {
    const { clientWidth } = chart.root.parentElement;
    if (clientWidth > 0 && clientWidth !== chart.width) chart.setSize({ width: clientWidth, height: chart.height });
  }
}).observe(section);
