/** What the researchers can read without asking: a small shelf of facts. */
const shelf: Record<string, string> = {
  'solar power':
    'Solar panels for a town of 2,000 people: 2.1 MW, about 1.9 million EUR, 2,050 MWh a year. Most of it comes in summer, around noon.',
  'wind power':
    'One wind turbine for a town of 2,000 people: 3.2 MW, about 4.6 million EUR, 8,300 MWh a year. Most of it comes in winter.',
};

/** What costs money: the town pays for each copy. */
const reports: Record<string, { price: number; text: string }> = {
  'energy prices': {
    price: 120,
    text: 'Energy prices, forecast: power in summer falls to 35 EUR/MWh by 2030, in winter it stays near 95 EUR/MWh.',
  },
};

export function lookUp(subject: string): string {
  const found = shelf[subject.toLowerCase()];
  return found ?? `Nothing on "${subject}". There is: ${Object.keys(shelf).join(', ')}.`;
}

export function buyReport(title: string): string {
  const found = reports[title.toLowerCase()];
  return found
    ? `Bought for ${found.price} EUR. ${found.text}`
    : `There is no report "${title}". There is: ${Object.keys(reports).join(', ')}.`;
}
