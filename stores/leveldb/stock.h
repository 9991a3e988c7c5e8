#ifndef PERDURE_STORES_LEVELDB_STOCK_H
#define PERDURE_STORES_LEVELDB_STOCK_H

#include <string>

#include <leveldb/db.h>

/// LevelDB's own functions, which ours stand before. Each of the libraries finds them in its own way: stock_*.cc.
namespace perdure::stores::stock {

leveldb::Status open(const leveldb::Options& options, const std::string& name, leveldb::DB** result);
leveldb::Status destroy(const std::string& name, const leveldb::Options& options);
leveldb::Status repair(const std::string& name, const leveldb::Options& options);

}  // namespace perdure::stores::stock

#endif
