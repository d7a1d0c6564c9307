import assert from 'node:assert/strict';

/** One line of the text format: a name, its labels as they stand there, a value. */
export interface Sample {
  readonly name: string;
  /** With its braces; empty without labels. */
  readonly labels: string;
  readonly value: number;
}

/** What `/metrics` of a bot says now. */
export async function scrape(port: number): Promise<readonly Sample[]> {
  const response = await fetch(`http://127.0.0.1:${port}/metrics`);
  assert.equal(response.status, 200);
  return samplesOf(await response.text());
}

export function samplesOf(text: string): readonly Sample[] {
  return text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const [, name = '', labels = '', value = ''] = /^(\w+)(\{.*\})? (\S+)$/.exec(line) ?? [];
      return { name, labels, value: Number(value.replace('+Inf', 'Infinity')) };
    });
}

/** The value of one sample; labels as `{a="b"}`. */
export function sampleOf(samples: readonly Sample[], name: string, labels = ''): number | undefined {
  return samples.find((sample) => sample.name === name && sample.labels === labels)?.value;
}
