/** The pods that a scrape configuration keeps, with the part of Prometheus' relabelling that ours uses. */

export interface Relabelling {
  source_labels: string[];
  regex?: string;
  action?: string;
}

/** @param labels set by the discovery of the pod */
export const isScraped = (rules: Relabelling[], labels: Record<string, string>): boolean =>
  rules.every(({ source_labels: sources, regex = '.*', action }) => {
    const isMatch = new RegExp(`^(?:${regex})$`).test(sources.map((name) => labels[name] ?? '').join(';'));
    return action === 'keep' ? isMatch : action !== 'drop' || !isMatch;
  });
