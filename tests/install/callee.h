// Without a mark.
#include <map>
#include <string>

struct Shop {
  virtual ~Shop() = default;
  virtual long price(const std::string& item) const;
  void sell(const std::string& item, long count);

  std::map<std::string, long> stock;
  long money = 0;
};

using Discount = long (*)(long);
Discount discount(long money);
